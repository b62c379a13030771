import type { EventFields, Observer } from '../../src/observe/observer.js';

interface UntypedObserver {
  emit(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: EventFields): void;
}

/** An observer as code without types can call it, with any event name. */
export function untyped(observer: Observer): UntypedObserver {
  return observer;
}
