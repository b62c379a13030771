/** A wait that can be ended from outside, again and again. What is raised while nobody waits is gone. */
export class SignalBox<Reason> {
  #resolve: ((reason: Reason) => void) | undefined;

  /** Ends the wait that is under way, if there is one. */
  raise(reason: Reason): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(reason);
  }

  /** Waits for {@link raise}. At most one wait at a time; an older one is never ended. */
  next(): Promise<Reason> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
