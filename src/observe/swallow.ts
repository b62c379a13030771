/**
 * Lets what a host's callback returned end as it likes: one that is typed as returning nothing may be an async function all
 * the same, and its rejection is not to end the process.
 *
 * @param returned what the callback returned
 * @param onFailure called when it was a promise that rejects
 */
export function swallow(returned: unknown, onFailure: (error: unknown) => void = () => {}): void {
  if (typeof returned === 'object' && returned !== null && 'then' in returned) {
    Promise.resolve(returned).catch(onFailure);
  }
}
