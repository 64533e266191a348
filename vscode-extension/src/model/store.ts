/** The one place where the model changes; listeners hear every event that changed it, in order. */
import type { Event } from "./events";
import { reduce } from "./reduce";
import { EMPTY, type Model } from "./state";

export type Listener = (event: Event, model: Model, before: Model) => void;

export class Store {
  private current: Model = EMPTY;
  private readonly listeners = new Set<Listener>();
  private tokens = 0;

  get model(): Model {
    return this.current;
  }

  /** A number that names one question, so that a late answer can be told from the newest one's. */
  token(): number {
    this.tokens += 1;
    return this.tokens;
  }

  dispatch(event: Event): void {
    const before = this.current;
    this.current = reduce(before, event);
    if (this.current === before) return;
    for (const listener of this.listeners) listener(event, this.current, before);
  }

  subscribe(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }
}
