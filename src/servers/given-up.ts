import type { Transport } from '@modelcontextprotocol/client';

/**
 * Tells when the client gives up on a request, because its time is over or because the host wants it no more. The SDK aborts the
 * request where it has a stream of its own, and says so to the server in the older era; an `initialize` it gives up silently.
 *
 * @param transport watched from now on
 */
export function watchGivenUp(transport: Transport, onGivenUp: () => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    options?.requestSignal?.addEventListener('abort', onGivenUp, { once: true });
    if ('method' in message && message.method === 'notifications/cancelled') onGivenUp();
    return send(message, options);
  };
}
