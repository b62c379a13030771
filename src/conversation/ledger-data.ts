import { InstructionsError, notExpected } from '../errors.js';
import { Ledger, type Anchor, type LedgerBlock, type LedgerEntry, type LedgerThread } from './ledger.js';
import { sharedBlock } from './shared-blocks.js';
import type { Said } from './told.js';
import { isRecord, kindOf } from '../values.js';

/** The version of {@link LedgerData} that this code writes. */
export const LEDGER_VERSION = 1;

/** A ledger as plain JSON. Pairs, not objects, so that no key can be a property of `Object.prototype`. */
export interface LedgerData {
  readonly version: number;
  readonly clock: number;
  readonly entries: readonly (readonly [Anchor, Partial<LedgerEntry>])[];
  readonly blocks: readonly (readonly [hash: string, block: LedgerBlock])[];
  readonly threads: readonly (readonly [messageId: string, thread: LedgerThread])[];
}

/**
 * @param ledger a ledger
 * @param keep which entries go along; all when absent
 * @returns a deep copy as plain JSON
 */
export function ledgerToData(ledger: Ledger, keep: (entry: LedgerEntry) => boolean = () => true): LedgerData {
  const entries = [...ledger.entries]
    .filter(([, entry]) => keep(entry))
    .map(([anchor, entry]) => [anchor, compact(entry)] as const);
  const used = new Set(entries.map(([, entry]) => entry.block));
  return {
    version: LEDGER_VERSION,
    clock: ledger.clock,
    entries,
    blocks: [...ledger.blocks].filter(([hash]) => used.has(hash)).map(([hash, block]) => [hash, copy(block)]),
    threads: [...ledger.threads].map(([id, thread]) => [id, copy(thread)]),
  };
}

function copy<T>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what comes out of JSON is what went in
  return JSON.parse(JSON.stringify(value)) as T;
}

/** What an entry says, without what it does not. */
function compact({ used, depth, block, after, previous, committed }: LedgerEntry): Partial<LedgerEntry> {
  return {
    used,
    depth,
    ...(block === undefined ? {} : { block }),
    ...(after === undefined ? {} : { after }),
    ...(previous === undefined ? {} : { previous }),
    ...(committed ? { committed } : {}),
  };
}

function wrong(where: string, expected: string, got: unknown): InstructionsError {
  const place = where === '' ? 'ledger' : `ledger.${where}`;
  return notExpected('INVALID_LEDGER', place, expected, kindOf(got));
}

function pairs(data: Record<string, unknown>, field: string): [string, Record<string, unknown>][] {
  const list = data[field];
  if (!Array.isArray(list)) throw wrong(field, 'an array of pairs', list);
  return list.map((pair: unknown, index) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string' || !isRecord(pair[1])) {
      throw wrong(`${field}[${index}]`, 'a pair of a string and an object', pair);
    }
    return [pair[0], pair[1]];
  });
}

function readEntry(where: string, raw: Record<string, unknown>): LedgerEntry {
  const { used, depth, block, after, previous, committed } = raw;
  if (typeof used !== 'number') throw wrong(`${where}.used`, 'a number', used);
  if (typeof depth !== 'number') throw wrong(`${where}.depth`, 'a number', depth);
  return {
    used,
    depth,
    block: typeof block === 'string' ? block : undefined,
    after: typeof after === 'string' ? after : undefined,
    previous: typeof previous === 'string' ? previous : undefined,
    committed: committed === true,
  };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isHashed(value: unknown): value is [id: string, hash: string] {
  return isStrings(value) && value.length === 2;
}

function readSaid(where: string, raw: unknown): Said {
  if (!isRecord(raw)) throw wrong(where, 'an object', raw);
  const hashed = (field: 'added' | 'changed'): [string, string][] => {
    const list = raw[field];
    if (!Array.isArray(list) || !list.every(isHashed)) {
      throw wrong(`${where}.${field}`, 'an array of pairs of strings', list);
    }
    return list;
  };
  const listed = (field: 'restored' | 'removed'): string[] => {
    const list = raw[field];
    if (!isStrings(list)) throw wrong(`${where}.${field}`, 'an array of strings', list);
    return list;
  };
  return {
    added: hashed('added'),
    changed: hashed('changed'),
    restored: listed('restored'),
    removed: listed('removed'),
  };
}

function readThread(where: string, raw: Record<string, unknown>): LedgerThread {
  const { chain, anchor, after } = raw;
  if (!Array.isArray(chain) || typeof chain[0] !== 'number' || typeof chain[1] !== 'number') {
    throw wrong(`${where}.chain`, 'a pair of numbers', chain);
  }
  return {
    chain: [chain[0], chain[1]],
    ...(typeof anchor === 'string' ? { anchor } : {}),
    ...(typeof after === 'string' ? { after } : {}),
  };
}

/**
 * @param data what should be a ledger
 * @returns whether a later version of this library wrote it, which this one can neither read nor replace without loss
 */
export function isNewerLedger(data: unknown): data is { readonly version: number } {
  return isRecord(data) && typeof data['version'] === 'number' && data['version'] > LEDGER_VERSION;
}

/**
 * Restores a ledger from what {@link ledgerToData} gave.
 *
 * @param data plain JSON; not changed, and shares nothing with the ledger
 * @throws InstructionsError `INVALID_LEDGER` when it is not a ledger, or of a version that this code does not know
 */
export function ledgerFromData(data: unknown): Ledger {
  if (!isRecord(data)) throw wrong('', 'an object', data);
  if (isNewerLedger(data)) {
    throw new InstructionsError(
      'INVALID_LEDGER',
      `ledger.version: expected at most ${LEDGER_VERSION}, got ${data['version']}, which a newer mcp-instructions wrote`,
    );
  }
  if (data['version'] !== LEDGER_VERSION) {
    const got = typeof data['version'] === 'number' ? String(data['version']) : kindOf(data['version']);
    throw notExpected('INVALID_LEDGER', 'ledger.version', String(LEDGER_VERSION), got);
  }
  const copied = copy(data);
  const ledger = new Ledger();
  ledger.clock = typeof copied['clock'] === 'number' ? copied['clock'] : 0;
  for (const [anchor, raw] of pairs(copied, 'entries')) {
    ledger.entries.set(anchor, readEntry(`entries ${anchor}`, raw));
  }
  for (const [hash, raw] of pairs(copied, 'blocks')) {
    if (typeof raw['text'] !== 'string') throw wrong(`blocks ${hash}.text`, 'a string', raw['text']);
    const said = readSaid(`blocks ${hash}.said`, raw['said']);
    ledger.blocks.set(hash, sharedBlock(hash, { text: raw['text'], said }));
  }
  for (const [id, raw] of pairs(copied, 'threads')) ledger.threads.set(id, readThread('threads', raw));
  return ledger;
}

/**
 * Takes in what another copy of the ledger recorded: the union by anchor, where the other copy's record wins. What the newest request of
 * this copy used is not idle because the other copy is ahead.
 *
 * @param ledger changed in place
 * @param stored the other copy, as it was stored
 */
export function mergeLedger(ledger: Ledger, stored: Ledger): void {
  if (ledger.clock < stored.clock) restamp(ledger, stored.clock);
  for (const [hash, block] of stored.blocks) ledger.blocks.set(hash, block);
  for (const [anchor, entry] of stored.entries) {
    const own = ledger.entries.get(anchor);
    ledger.entries.set(anchor, { ...entry, used: Math.max(entry.used, own?.used ?? 0) });
  }
  for (const [id, thread] of stored.threads) if (!ledger.threads.has(id)) ledger.threads.set(id, thread);
}

function restamp(ledger: Ledger, clock: number): void {
  for (const entry of ledger.entries.values()) if (entry.used === ledger.clock) entry.used = clock;
  ledger.clock = clock;
}
