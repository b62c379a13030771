/**
 * Gives the event loop a turn, on every runtime: a timer is the one macrotask that all of them have.
 *
 * @returns a promise that is fulfilled in a later turn of the loop
 */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/**
 * Runs work that was cut into steps, letting the event loop turn between them.
 *
 * @param steps a generator that yields wherever it may be interrupted
 * @returns what the generator returned
 */
export async function runInSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/**
 * Runs work that was cut into steps in one go.
 *
 * @param steps a generator that yields wherever it may be interrupted
 * @returns what the generator returned
 */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
