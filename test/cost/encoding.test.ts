import { describe, expect, it } from 'vitest';
import { importEncoding, loadEncoding, parseModule, readEncoding } from '../../src/cost/encoding.js';

const file = new URL('../../node_modules/js-tiktoken/dist/ranks/o200k_base.js', import.meta.url).href;

function source(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe('encoding', () => {
  it('is the same read as a file and imported as a module', async () => {
    const read = await readEncoding(() => file);
    const imported = await importEncoding();
    expect(read?.pattern).toBe(imported.pattern);
    expect(Buffer.compare(Buffer.from(read!.packedRanks), Buffer.from(imported.packedRanks))).toBe(0);
  });

  it('comes by either way', async () => {
    expect((await loadEncoding()).packedRanks.length).toBeGreaterThan(2_000_000);
  });

  it.each<[string, () => string]>([
    ['an address that is no file', () => 'https://example.com/ranks.js'],
    ['a file that is not there', () => `${file}.none`],
    ['a file of another kind', () => new URL('../../package.json', import.meta.url).href],
    [
      'a module that cannot be found',
      () => {
        throw new Error('not found');
      },
    ],
  ])('is not read from %s', async (_name, resolve) => {
    expect(await readEncoding(resolve)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no pattern', 'export default {"bpe_ranks":"! 0 IQ=="};'],
    ['no ranks', 'export default {"pat_str":"a"};'],
    ['ranks that start elsewhere', 'export default {"pat_str":"a","bpe_ranks":"! 5 IQ=="};'],
    ['ranks on several lines', String.raw`export default {"pat_str":"a","bpe_ranks":"! 0 IQ==\n! 1 Ig=="};`],
  ])('is not taken from a source with %s', (_name, text) => {
    expect(parseModule(source(text))).toBeUndefined();
  });

  it('is taken from a source of the expected form, escapes resolved', () => {
    const text = String.raw`export default {"pat_str":"\\s+|\"","special_tokens":{},"bpe_ranks":"! 0 IQ== Ig=="};`;
    expect(parseModule(source(text))).toEqual({ pattern: '\\s+|"', packedRanks: source('! 0 IQ== Ig==') });
  });
});
