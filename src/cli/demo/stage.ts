import { fileURLToPath } from 'node:url';

import { Injector } from '../../injector.js';
import { systemClock } from '../../servers/clock.js';
import type { StdioServerConfig } from '../../servers/server-config.js';
import { startGate } from './gate.js';
import { startMessagesEndpoint, type Answer, type MessagesEndpoint } from './messages-endpoint.js';

/** Everything that the demo runs on. */
export interface Stage {
  readonly injector: Injector;
  readonly endpoint: MessagesEndpoint;
  /** Resolves when a server is connected. Rejects when its first attempt failed, or the user stops. */
  connected(id: string): Promise<void>;
  /** Lets the late server start. */
  releaseLate(): void;
  close(): Promise<void>;
}

/** The server that starts late. */
export const LATE = 'deploys';

function demoServer(id: string, port?: number): StdioServerConfig {
  const script = fileURLToPath(new URL('./demo-server.js', import.meta.url));
  return { command: process.execPath, args: [script, id, ...(port === undefined ? [] : [String(port)])] };
}

/**
 * Starts the endpoint and the servers.
 *
 * @param answers what the endpoint answers, request by request
 * @param signal aborts when the user stops
 */
export async function setStage(answers: readonly Answer[], signal: AbortSignal): Promise<Stage> {
  const gate = await startGate();
  const endpoint = await startMessagesEndpoint({ answer: (_body, { number }) => answers[number - 1] });
  const servers = {
    docs: demoServer('docs'),
    tickets: demoServer('tickets'),
    // The probe for the other handshake would time out while the server is held back.
    [LATE]: { ...demoServer(LATE, gate.port), protocol: 'legacy' as const },
  };
  // The user's own variables stay out of it: the demo is the same everywhere.
  const surroundings = { clock: systemClock, environment: {} };
  const injector = new Injector({ servers, firstTurnWaitMs: 0 }, surroundings);
  return {
    injector,
    endpoint,
    connected: (id) => whenConnected(injector, id, signal),
    releaseLate: () => gate.open(),
    close: async () => {
      await injector.close();
      await gate.close();
      await endpoint.close();
    },
  };
}

async function whenConnected({ connections }: Injector, id: string, signal: AbortSignal): Promise<void> {
  const unlisten: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        const status = connections.status(id);
        if (status?.state.state === 'connected' && status.instructions !== undefined) resolve();
        else if (status?.settled !== false) reject(new Error(`the demo's server ${id} did not start`));
      };
      const stop = (): void => reject(new Error('stopped'));
      signal.addEventListener('abort', stop);
      unlisten.push(connections.on('instructions', look), connections.on('settled', look), () =>
        signal.removeEventListener('abort', stop),
      );
      if (signal.aborted) stop();
      if (connections.status(id)?.settled === true) look();
    });
  } finally {
    for (const off of unlisten) off();
  }
}
