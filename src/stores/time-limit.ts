import type { Clock } from '../servers/clock.js';

/** The timers that a limit needs. */
export type Timers = Pick<Clock, 'setTimeout' | 'clearTimeout'>;

/** How something with a time limit ended. */
export type Limited<Value> =
  | { readonly ended: 'done'; readonly value: Value }
  | { readonly ended: 'threw'; readonly error: unknown }
  | { readonly ended: 'timed-out' };

/**
 * Waits for `work` at most `limitMs`. Never rejects; work that is left behind may end as it likes, unheard.
 *
 * @param work what is waited for
 * @param limitMs in milliseconds
 * @param timers where the limit comes from
 */
export function withinLimit<Value>(
  work: PromiseLike<Value>,
  limitMs: number,
  timers: Timers,
): Promise<Limited<Value>> {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => resolve({ ended: 'timed-out' }), limitMs);
    const end = (result: Limited<Value>): void => {
      timers.clearTimeout(timer);
      resolve(result);
    };
    work.then(
      (value) => end({ ended: 'done', value }),
      (error: unknown) => end({ ended: 'threw', error }),
    );
  });
}
