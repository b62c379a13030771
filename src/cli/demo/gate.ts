import { createServer, type Socket } from 'node:net';

/** Holds a process back until it is opened. */
export interface Gate {
  /** The port on loopback that the process connects to. */
  readonly port: number;
  /** Lets everybody through, now and later. */
  open(): void;
  close(): Promise<void>;
}

/** Starts a gate; it is shut. */
export async function startGate(): Promise<Gate> {
  const waiting = new Set<Socket>();
  let isOpen = false;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (isOpen) socket.end();
    else waiting.add(socket.once('close', () => waiting.delete(socket)));
  });
  const open = (): void => {
    isOpen = true;
    for (const socket of waiting) socket.end();
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    open,
    close: () =>
      new Promise((resolve) => {
        open();
        server.close(() => resolve());
      }),
  };
}
