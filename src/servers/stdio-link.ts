import { stat } from 'node:fs/promises';

import type { Observer } from '../observe/observer.js';
import { describeExit, errorCode, makeFailure } from './failure.js';
import type { Link } from './link.js';
import type { Sdk } from './sdk.js';
import type { CheckedStdioServer } from './server-options.js';
import type { Failure } from './server-state.js';
import { StdioTransport } from './stdio-transport.js';

/** A server that ends right after its reply is gone within this time, in ms; its text must not count as received. */
const confirmMs = 20;

/**
 * A link to a child process. Loaded on demand: this file needs Node.
 *
 * @param id the server id, for events
 */
export function openStdioLink(id: string, config: CheckedStdioServer, sdk: Sdk, observer: Observer): Link {
  const transport = new StdioTransport(config, sdk);
  let isClosing = false;
  const lost = new Promise<Failure>((resolve) => {
    // The SDK chains a handler that is there before it connects.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no other way
    transport.onclose = () => {
      if (!isClosing) resolve(explainEnd());
    };
  });

  function explainEnd(): Failure {
    if (transport.overflowed)
      return makeFailure('too-large', 'a message was over 10 MiB', { process: transport.trace });
    const { trace } = transport;
    if (transport.flooded)
      return makeFailure('protocol-error', 'standard output was flooded with lines', { process: trace });
    if (!transport.endedByItself && transport.pipeBroken)
      return makeFailure('connection-lost', 'the server closed its standard input or output', {
        process: trace,
      });
    if (!transport.endedByItself)
      return makeFailure('connection-lost', 'the connection was closed', { process: trace });
    return makeFailure('connection-lost', `the server process ended (${describeExit(trace)})`, {
      process: trace,
    });
  }

  return {
    kind: 'stdio',
    transport,
    lost,
    async explain(error) {
      await transport.settleEnd();
      const process = transport.trace;
      if (transport.pid === null) {
        const code = errorCode(error);
        // The system's error is about the command, whichever of the two is not there.
        const what = (await isDirectory(config.cwd))
          ? 'the program could not be started'
          : 'the program could not be started, as its `cwd` is no directory that is there';
        return makeFailure('spawn-failed', `${what}${code === undefined ? '' : ` (${code})`}`, {
          code,
          process,
        });
      }
      if (transport.overflowed || transport.flooded) return explainEnd();
      if (transport.endedByItself)
        return makeFailure('exited', `the server process ended (${describeExit(process)})`, { process });
      const message = transport.pipeBroken
        ? 'the server closed its standard input or output'
        : 'the server gave no usable answer';
      return makeFailure('protocol-error', message, { process });
    },
    onRenewed: undefined,
    doubt: undefined,
    finishAuth: undefined,
    async confirm() {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, confirmMs);
      });
      if (transport.endedByItself || transport.pipeBroken) throw new Error('ended');
    },
    async close() {
      isClosing = true;
      await transport.close();
      if (transport.leftProcesses > 0)
        observer.emit('warn', 'process-left', { server: id, processes: transport.leftProcesses });
    },
  };
}

async function isDirectory(path: string | undefined): Promise<boolean> {
  if (path === undefined) return true;
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
