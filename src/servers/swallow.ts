/**
 * Takes the failure of what a host's callback returned. A callback typed as returning nothing may be an async function all the same,
 * and a rejection that nobody handles ends the process.
 */
export function swallow(returned: unknown): void {
  if (typeof returned !== 'object' || returned === null || !('then' in returned)) return;
  Promise.resolve(returned).catch(() => {});
}
