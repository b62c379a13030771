import { swallow } from '../observe/swallow.js';

/** Listeners by event. What a listener throws stays with it: it must not end a connection. */
export class EventHub<Events extends object> {
  readonly #listeners: { [Name in keyof Events]?: Set<(event: Events[Name]) => unknown> } = {};

  /** @returns a function that takes the listener off */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => unknown): () => void {
    const listeners = (this.#listeners[name] ??= new Set());
    // A listener given twice is called twice, and each call of `on` takes off its own.
    const own = (event: Events[Name]): unknown => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners[name] ?? []) {
      try {
        swallow(listener(event));
      } catch {
        // A host's listener is the host's matter.
      }
    }
  }
}
