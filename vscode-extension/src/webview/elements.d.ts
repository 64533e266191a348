/** The custom elements of @vscode-elements/elements that are used here, as TSX sees them. */
import type { ComponentChildren, HTMLAttributes as Html } from "preact";

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "vscode-button": Html<HTMLElement> & {
        readonly secondary?: boolean;
        readonly disabled?: boolean;
        readonly children?: ComponentChildren;
      };
      "vscode-progress-ring": Html<HTMLElement>;
    }
  }
}
