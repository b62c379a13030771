import type { Client } from '@modelcontextprotocol/client';

import { callHost, type CallbackFailure } from './event-hub.js';

type Slot = 'onerror' | 'onclose';
type Handler = (...values: readonly unknown[]) => unknown;

/**
 * Lets what a host puts into the slots of a client throw or reject as it likes. The SDK calls them from event handlers and from
 * promises that nobody waits for, so what comes out of them would end the host's process.
 *
 * @param client new, its slots still empty
 * @param onFailure called when a handler threw or rejected
 */
export function guardClient(client: Client, onFailure: (slot: Slot, how: CallbackFailure) => void): void {
  for (const slot of ['onerror', 'onclose'] as const) {
    let guarded: Handler | undefined;
    Object.defineProperty(client, slot, {
      configurable: true,
      enumerable: true,
      get: () => guarded,
      set: (handler: Handler | undefined) => {
        if (handler === guarded) return;
        guarded =
          typeof handler === 'function'
            ? (...values) =>
                callHost(
                  () => Reflect.apply(handler, client, values),
                  (how) => onFailure(slot, how),
                )
            : undefined;
      },
    });
  }
}
