/** Runs tasks of one key one after the other, and those of different keys at the same time. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** The keys that have a task, under way or waiting. */
  keys(): readonly string[] {
    return [...this.#last.keys()];
  }

  /**
   * @param key what the task is about
   * @param task starts when every earlier task of that key has ended, well or badly
   * @returns what the task gives
   */
  run<Value>(key: string, task: () => Promise<Value>): Promise<Value> {
    const result = this.#after(this.#last.get(key), task);
    this.#last.set(key, result);
    void this.#clearAfter(key, result);
    return result;
  }

  /** Resolves when there is no task. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }

  async #after<Value>(before: Promise<unknown> | undefined, task: () => Promise<Value>): Promise<Value> {
    // Also without one before, so that no task starts while its caller still notes down what it ordered.
    await Promise.allSettled([before]);
    return await task();
  }

  async #clearAfter(key: string, result: Promise<unknown>): Promise<void> {
    await Promise.allSettled([result]);
    if (this.#last.get(key) === result) this.#last.delete(key);
  }
}
