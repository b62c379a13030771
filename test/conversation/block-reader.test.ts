import { describe, expect, it } from 'vitest';
import { BlockReader } from '../../src/conversation/block-reader.js';
import { sha256Hex } from '../../src/instructions/sha256.js';
import { render } from '../../src/render/render.js';
import { Ledger } from '../../src/conversation/ledger.js';

const block = render({ added: [{ id: 'lab', text: 'T' }], removed: ['x'] })!;

function counted(): { hash: (text: string) => string; hashed: string[] } {
  const hashed: string[] = [];
  const hash = (text: string): string => {
    hashed.push(text);
    return sha256Hex(text);
  };
  return { hash, hashed };
}

describe('reading blocks of a history', () => {
  it('neither hashes nor reads what has not the frame of a block', () => {
    const { hash, hashed } = counted();
    const reader = new BlockReader(hash);
    for (const text of [
      '',
      'a',
      `<system-reminder>\n${'x'.repeat(1000)}`,
      block.slice(0, -1),
      ` ${block}`,
      `${block}\n`,
    ]) {
      expect(reader.isBlock(text, new Ledger())).toBe(false);
      expect(reader.said(text)).toBeUndefined();
    }
    expect(hashed).toEqual([]);
  });

  it('reads a block once for all readers with one hash', () => {
    const { hash, hashed } = counted();
    const said = new BlockReader(hash).said(block);
    expect(said?.added).toEqual([['lab', sha256Hex('## lab\nT')]]);
    expect(said?.removed).toEqual(['x']);
    expect(new BlockReader(hash).said(block)).toBe(said);
    expect(hashed).toEqual(['## lab\nT']);
    expect(new BlockReader((text) => `key of ${text}`).said(block)?.added).toEqual([
      ['lab', 'key of ## lab\nT'],
    ]);
  });
});
