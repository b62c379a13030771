import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ConnectionManager } from '../../../src/servers/connection-manager.js';
import type { ConnectionManagerOptions } from '../../../src/servers/connection-types.js';
import type { StdioServerConfig } from '../../../src/servers/server-config.js';
import type { ServerSnapshot, ServerState } from '../../../src/servers/server-state.js';
import { type RecordingObserver, recordingObserver } from '../../observe/recording-observer.js';
import type { LabProcessScript } from '../../fixtures/servers/lab-script.js';

/** The path of a fixture. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/servers/${name}`, import.meta.url));
}

/** The path of a file of an installed package. */
export function installed(path: string): string {
  return fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));
}

/** Marks every process that these tests start, whatever starts it. */
export const testMarker: string = `lab-${process.pid}-${Date.now()}`;

/** A lab process as a host would configure it. */
export function lab(
  script: LabProcessScript = {},
  extra: Partial<StdioServerConfig> = {},
): StdioServerConfig {
  return {
    command: process.execPath,
    args: [fixture('lab-stdio.mjs')],
    ...extra,
    env: { LAB: JSON.stringify(script), LAB_MARKER: testMarker, ...extra.env },
  };
}

/** The processes of these tests that are alive. */
export function livingProcesses(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(testMarker);
      } catch {
        return false;
      }
    });
}

/** A manager with everything it reports. */
export function manage(options: Partial<ConnectionManagerOptions> = {}): {
  readonly manager: ConnectionManager;
  readonly observer: RecordingObserver;
} {
  const observer = recordingObserver();
  return { manager: new ConnectionManager({ observer, ...options }), observer };
}

/** The snapshot of one server. */
export function snapshot(manager: ConnectionManager, id: string): ServerSnapshot {
  const found = manager.snapshots().find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`no server ${id}`);
  return found;
}

/** Waits for a state of a server. */
export async function reach(
  manager: ConnectionManager,
  id: string,
  name: ServerState['state'],
): Promise<ServerState> {
  const now = manager.status(id)?.state;
  if (now?.state === name) return now;
  return await new Promise((resolve) => {
    const off = manager.on('state', (event) => {
      if (event.id !== id || event.state.state !== name) return;
      off();
      resolve(event.state);
    });
  });
}

/** A folder that is gone after the test. */
export class Folder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'lab-'));

  file(name: string): string {
    return join(this.path, name);
  }

  /** The entries of a lab journal. */
  journal(
    name: string,
  ): readonly { readonly start?: number; readonly method?: string; readonly signal?: string }[] {
    return readFileSync(this.file(name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): { start?: number; method?: string; signal?: string } => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
