import { swallow } from '../observe/swallow.js';

/** How a callback of the host failed. */
export type CallbackFailure = 'threw' | 'rejected';

/** Calls a callback of the host. What it throws or rejects with stays here: it must not end a connection. */
export function callHost(call: () => unknown, onFailure: (how: CallbackFailure) => void): void {
  try {
    swallow(call(), () => onFailure('rejected'));
  } catch {
    onFailure('threw');
  }
}

/** Listeners by event. */
export class EventHub<Events extends object> {
  readonly #listeners: { [Name in keyof Events]?: Set<(event: Events[Name]) => unknown> } = {};
  readonly #onFailure: (name: keyof Events, event: Events[keyof Events], how: CallbackFailure) => void;

  /** @param onFailure called when a listener threw or rejected */
  constructor(
    onFailure: (name: keyof Events, event: Events[keyof Events], how: CallbackFailure) => void = () => {},
  ) {
    this.#onFailure = onFailure;
  }

  /** @returns a function that takes the listener off */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => unknown): () => void {
    const listeners = (this.#listeners[name] ??= new Set());
    // A listener given twice is called twice, and each call of `on` takes off its own.
    const own = (event: Events[Name]): unknown => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  /** Calls who listened when it began, but for those that are taken off meanwhile. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const listeners = this.#listeners[name];
    // A copy: a listener that listens anew each time it is called would be called for ever.
    for (const listener of listeners === undefined ? [] : [...listeners]) {
      if (!listeners?.has(listener)) continue;
      callHost(
        () => listener(event),
        (how) => this.#onFailure(name, event, how),
      );
    }
  }
}
