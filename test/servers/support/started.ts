import { afterEach, expect } from 'vitest';

import type { ConnectionManager } from '../../../src/servers/connection-manager.js';
import { livingProcesses, manage } from './lab.js';

const managers: ConnectionManager[] = [];

/** {@link manage}, closed when the test ends; then no process may be left. */
export function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  closeLater(made.manager);
  return made;
}

/** A manager that the test made itself is closed when it ends. */
export function closeLater(manager: ConnectionManager): void {
  managers.push(manager);
}

// For each test of the file that imports this.
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close();
  expect(livingProcesses()).toEqual([]);
});
