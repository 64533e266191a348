/** The small pieces that every part of the page is made of. */
import type { ComponentChildren, JSX } from "preact";

export function Icon({ name, label }: { name: string; label?: string | undefined }): JSX.Element {
  return label === undefined ? (
    <span class={`codicon codicon-${name}`} aria-hidden="true" />
  ) : (
    <span class={`codicon codicon-${name}`} role="img" aria-label={label} title={label} />
  );
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
  readonly kind?: "primary" | "secondary";
  readonly disabled?: boolean;
  /** What it does in full, for the hover and for screen readers, where its text is too short. */
  readonly title?: string;
  readonly icon?: string;
}

export function Button({ children, onClick, kind = "primary", disabled = false, title, icon }: ButtonProps): JSX.Element {
  return (
    <vscode-button secondary={kind === "secondary"} disabled={disabled} aria-disabled={disabled} onClick={onClick} {...(title === undefined ? {} : { title })}>
      {icon === undefined ? null : <Icon name={icon} />}
      <span>{children}</span>
    </vscode-button>
  );
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly disabled?: boolean;
}

export function IconButton({ icon, label, onClick, pressed, expanded, disabled = false }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(expanded === undefined ? {} : { "aria-expanded": expanded })}
    >
      <Icon name={icon} />
    </button>
  );
}

export function LinkButton({ children, onClick }: { children: ComponentChildren; onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="link-button" onClick={onClick}>
      {children}
    </button>
  );
}

/** Work that takes a while: it appears only after a moment, so that quick answers do not flash. */
export function Waiting({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="waiting" role="status">
      <vscode-progress-ring aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}
