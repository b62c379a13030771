import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Where the examples are, and run. */
export const examples: string = fileURLToPath(new URL('../../examples/', import.meta.url));

/** What a program wrote until it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/**
 * Runs a script of Node until it ends by itself.
 *
 * @param folder the working directory
 * @param args the script and its arguments
 * @param env added to the environment
 */
export async function runNode(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, out, errors };
}

/** An example's HTTP server, running. */
export interface ExampleServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an example's HTTP server, which prints its address. */
export async function startExampleServer(script: string): Promise<ExampleServer> {
  const child = spawn(process.execPath, [script], { cwd: examples, stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    stop: async () => {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    },
  };
}
