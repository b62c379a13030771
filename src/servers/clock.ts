/** What a timer is known by; opaque to the library. */
export type TimerHandle = unknown;

/** The time and the timers that the library uses for its deadlines and pauses; tests pass their own. */
export interface Clock {
  /** Now, in ms since 1970: for what people and other processes read. The system may set it, back as well, so no duration comes of it. */
  now(): number;
  /** Ms since some moment in the past; goes on whatever happens to the time of day. Every duration is measured with it. */
  elapsed(): number;
  /** Calls back once after `delayMs`. */
  setTimeout(callback: () => void, delayMs: number): TimerHandle;
  clearTimeout(timer: TimerHandle): void;
}

/** The same moment on both. */
export interface Moment {
  /** In ms since 1970. */
  readonly now: number;
  /** As {@link Clock.elapsed} has it. */
  readonly elapsed: number;
}

/** This moment. */
export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** The machine's own clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  elapsed: () => performance.now(),
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
