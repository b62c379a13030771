import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyv } from 'keyv';
import { fileStore } from '../../src/stores/file-store.js';
import { memoryStore } from '../../src/stores/memory-store.js';
import { describeLedgerStore } from '../contracts/ledger-store.js';

describeLedgerStore('memory', () => {
  const store = memoryStore();
  return Promise.resolve({ open: () => store, close: () => {} });
});

describeLedgerStore('a Map', () => {
  const store = new Map<string, string>();
  return Promise.resolve({ open: () => store, close: () => {} });
});

describeLedgerStore('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgers-'));
  return Promise.resolve({
    open: () => fileStore({ folder: join(folder, 'not', 'there yet') }),
    close: () => rmSync(folder, { recursive: true }),
  });
});

describeLedgerStore('Keyv in memory', () => {
  const medium = new Map();
  return Promise.resolve({ open: () => new Keyv({ store: medium }), close: () => {} });
});
