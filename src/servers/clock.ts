/** What a timer is known by; opaque to the library. */
export type TimerHandle = unknown;

/** The time and the timers that the connection manager uses for its deadlines and pauses; tests pass their own. */
export interface Clock {
  /** Now, in ms since 1970. */
  now(): number;
  /** Calls back once after `delayMs`. */
  setTimeout(callback: () => void, delayMs: number): TimerHandle;
  clearTimeout(timer: TimerHandle): void;
}

/** The machine's own clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  setTimeout: (callback: () => void, delayMs: number) => setTimeout(callback, delayMs),
  clearTimeout: (timer: TimerHandle) => {
    // Node gives objects, other runtimes numbers; anything else was never a timer of this clock.
    if (typeof timer === 'number') clearTimeout(timer);
    else if (isNodeTimer(timer)) clearTimeout(timer);
  },
});

/** Lets the process end although the timer is still running, where the runtime knows such a thing. */
export function unref(timer: TimerHandle): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
}

function isNodeTimer(timer: unknown): timer is NodeJS.Timeout {
  return typeof timer === 'object' && timer !== null && Symbol.toPrimitive in timer;
}
