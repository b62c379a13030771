import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of our own on loopback. */
export interface RedisServer {
  readonly url: string;
  /** Stops it from answering, with its connections open. */
  pause(): void;
  resume(): void;
  /** Has it answer every write with an error from now on. */
  refuseWrites(): Promise<void>;
  /** Kills it at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

/** Whether `redis-server` is on the PATH. */
export const hasRedis: boolean = spawnSync('redis-server', ['--version']).status === 0;

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let child = await start(port, folder);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    refuseWrites: async () => {
      const socket = connect(port, '127.0.0.1');
      socket.end('CONFIG SET maxmemory 1\r\n');
      await once(socket.resume(), 'close');
    },
    kill,
    restart: async () => {
      await kill();
      child = await start(port, folder);
    },
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(port: number, folder: string): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error(`redis-server did not start: ${output}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
