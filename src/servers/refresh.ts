import type { Connected } from './connect-server.js';

/**
 * Asks for the instructions again over a live connection; the answer goes the way of every reply. In the legacy era that is a second
 * `initialize`; the session that it opens over HTTP is ended at once, and the connection keeps its own.
 *
 * @returns whether the server answered
 */
export async function refreshInstructions(live: Connected, timeoutMs: number): Promise<boolean> {
  const { client, era, watch } = live;
  const options = { timeout: timeoutMs };
  const before = watch.last;
  try {
    if (era === 'modern') await client.discover(options);
    else {
      const request = watch.initializeRequest;
      if (request === undefined) return false;
      await client.request({ method: 'initialize', params: request.params }, options);
    }
  } catch {
    // A reply that only the SDK found wanting was still read.
  }
  // Whatever it was that failed, an `initialize` without an answer tells nobody else.
  if (watch.last === before) live.link.doubt?.();
  return watch.last !== before;
}
