import { createHash } from 'node:crypto';

import { array, assert, constantFrom, option, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { formatPins, parsePins } from '../../../src/injector/trust/pin-file-format.js';
import {
  approve,
  approvedFor,
  isApproved,
  type Pins,
  type Speaker,
} from '../../../src/injector/trust/pins.js';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const none: Pins = new Map();
const by = (id: string, era: 'modern' | 'legacy' | null = null, others: readonly string[] = []): Speaker => ({
  id,
  identity: 'i',
  era,
  others,
});
const kept = (text: string) => ({ sha256: hash(text), text });

describe('pins', () => {
  test('the two handshakes of a server stand side by side, and each replaces its own text only', () => {
    const [modern, legacy] = [by('docs', 'modern'), by('docs', 'legacy')];
    let pins = approve(none, modern, kept('modern one'));
    pins = approve(pins, legacy, kept('legacy one'));
    pins = approve(pins, modern, kept('modern two'));
    expect(pins.get('i')?.map(({ era, text }) => [era, text])).toEqual([
      ['legacy', 'legacy one'],
      ['modern', 'modern two'],
    ]);
    expect(isApproved(pins, modern, hash('legacy one'))).toBe(true);
    expect(isApproved(pins, modern, hash('modern one'))).toBe(false);
    expect(approvedFor(pins, modern)?.text).toBe('modern two');
    expect(approvedFor(pins, by('docs'))?.text).toBe('legacy one');
  });

  test('servers that are reached in the same way have their own places', () => {
    const [docs, tickets] = [by('docs', 'modern', ['tickets']), by('tickets', 'modern', ['docs'])];
    let pins = approve(none, docs, kept('of docs'));
    expect(approvedFor(pins, tickets)).toBeUndefined();
    pins = approve(pins, tickets, kept('of tickets'));
    pins = approve(pins, docs, kept('new of docs'));
    expect(pins.get('i')?.map(({ text }) => text)).toEqual(['of tickets', 'new of docs']);
  });

  test('a server that was given another id is the same server', () => {
    const pins = approve(none, by('old', 'modern'), kept('one'));
    expect(approvedFor(pins, by('new', 'modern'))?.text).toBe('one');
    const after = approve(pins, by('new', 'modern'), kept('two'));
    expect(after.get('i')?.map(({ server, text }) => [server, text])).toEqual([['new', 'two']]);
  });

  test('a server that has entries of its own is not approved by those of another, so it cannot go back', () => {
    const [a, b] = [by('a', 'modern', ['b']), by('b', 'modern', ['a'])];
    let pins = approve(none, a, kept('one'));
    expect(isApproved(pins, b, hash('one'))).toBe(true);
    pins = approve(pins, b, kept('two'));
    expect(isApproved(pins, b, hash('two'))).toBe(true);
    expect(isApproved(pins, b, hash('one'))).toBe(false);
    expect(isApproved(pins, a, hash('one'))).toBe(true);
    expect(isApproved(pins, a, hash('two'))).toBe(false);
    expect(approvedFor(pins, b)?.text).toBe('two');
  });

  test('under another id a server keeps what was approved of its other handshake', () => {
    let pins = approve(none, by('old', 'legacy'), kept('legacy'));
    pins = approve(pins, by('old', 'modern'), kept('modern one'));
    pins = approve(pins, by('new', 'modern'), kept('modern two'));
    expect(isApproved(pins, by('new', 'legacy'), hash('legacy'))).toBe(true);
    expect(isApproved(pins, by('new', 'modern'), hash('modern one'))).toBe(false);
    expect(pins.get('i')?.map(({ server, text }) => [server, text])).toEqual([
      ['new', 'legacy'],
      ['new', 'modern two'],
    ]);
  });

  test('a hash without a handshake does not outlive the next approval', () => {
    const pins = approve(approve(none, by('docs'), kept('old')), by('docs', 'modern'), kept('new'));
    expect(isApproved(pins, by('docs'), hash('old'))).toBe(false);
    const back = approve(pins, by('docs'), kept('newer'));
    expect(isApproved(back, by('docs'), hash('new'))).toBe(false);
  });

  test('approving changes no pins that are in use', () => {
    const before = approve(none, by('docs'), kept('old'));
    approve(before, by('docs'), kept('new'));
    expect(isApproved(before, by('docs'), hash('old'))).toBe(true);
  });
});

describe('the file', () => {
  test('is sorted, stable, and shows what a reader would not see', () => {
    const odd = 'Ünïcode \u{1f389}\nsecond\u202e line\u{e0041}';
    let pins = approve(none, { ...by('tickets'), identity: 'id-2' }, kept(odd));
    pins = approve(pins, { ...by('docs', 'modern'), identity: 'id-1' }, kept('modern'));
    pins = approve(pins, { ...by('docs', 'legacy'), identity: 'id-1' }, kept('legacy'));
    const file = formatPins(pins);
    expect(file).toBe(`{
  "version": 1,
  "pins": [
    {
      "identity": "id-1",
      "texts": [
        {
          "server": "docs",
          "era": "legacy",
          "sha256": "${hash('legacy')}",
          "lines": [
            "legacy"
          ]
        },
        {
          "server": "docs",
          "era": "modern",
          "sha256": "${hash('modern')}",
          "lines": [
            "modern"
          ]
        }
      ]
    },
    {
      "identity": "id-2",
      "texts": [
        {
          "server": "tickets",
          "era": null,
          "sha256": "${hash(odd)}",
          "lines": [
            "Ünïcode \u{1f389}",
            "second\\u202e line\\udb40\\udc41"
          ]
        }
      ]
    }
  ]
}
`);
    expect(formatPins(new Map([...parsePins(file, hash)].toReversed()))).toBe(file);
  });

  test('of a long text holds the hash only', () => {
    const long = 'x'.repeat(65_537);
    const pins = parsePins(formatPins(approve(none, by('docs'), kept(long))), hash);
    expect(pins.get('i')).toEqual([{ server: 'docs', era: null, sha256: hash(long), text: undefined }]);
  });

  test('gives back what was written', () => {
    const texts = record({
      identity: string({ minLength: 1, unit: 'binary' }),
      server: string({ unit: 'binary' }),
      era: constantFrom('modern' as const, 'legacy' as const),
      text: option(string({ unit: 'binary', maxLength: 40 }), { nil: undefined }),
    });
    assert(
      property(array(texts), (approvals) => {
        let pins = none;
        for (const { identity, server, era, text } of approvals) {
          const whole = text?.toWellFormed();
          const speaker = {
            id: server.toWellFormed(),
            identity: identity.toWellFormed(),
            era,
            others: ['a', 'b'],
          };
          pins = approve(pins, speaker, { sha256: hash(whole ?? 'unknown'), text: whole });
        }
        const file = formatPins(pins);
        expect(file).not.toMatch(/[^\P{C}\n]/u);
        const read = parsePins(file, hash);
        expect(formatPins(read)).toBe(file);
        expect(new Set(read.keys())).toEqual(new Set(pins.keys()));
      }),
    );
  });

  const sha256 = hash('text');
  const of = (...texts: object[]) => ({
    version: 1,
    pins: [{ identity: 'i', texts: texts.map((text) => ({ server: 'docs', ...text })) }],
  });
  test.each([
    ['', 'not-json'],
    ['{"version": 1, "pins": [', 'not-json'],
    ['<<<<<<< HEAD\n{}', 'not-json'],
    ['null', 'wrong-version'],
    ['[]', 'wrong-version'],
    ['7', 'wrong-shape'],
    ['{"pins": []}', 'wrong-version'],
    ['{"version": 2, "pins": []}', 'wrong-version'],
    ['{"version": 1}', 'wrong-shape'],
    ['{"version": 1, "pins": {}}', 'wrong-shape'],
    ['{"version": 1, "pins": [null]}', 'wrong-shape'],
    [{ version: 1, pins: [{ identity: 'i', texts: [{ era: null, sha256 }] }] }, 'wrong-shape'],
    [{ version: 1, pins: [{ texts: [{ server: 'd', era: null, sha256 }] }] }, 'wrong-shape'],
    [{ version: 1, pins: [{ identity: '', texts: [{ server: 'd', era: null, sha256 }] }] }, 'wrong-shape'],
    [of(), 'wrong-shape'],
    [of({ era: 'other', sha256 }), 'wrong-shape'],
    [of({ sha256 }), 'wrong-shape'],
    [of({ era: null, sha256: sha256.toUpperCase() }), 'wrong-shape'],
    [of({ era: null, sha256: 'abc' }), 'wrong-shape'],
    [of({ era: null, sha256, lines: 'text' }), 'wrong-shape'],
    [of({ era: null, sha256, lines: [1] }), 'wrong-shape'],
    [of({ era: 'modern', sha256 }, { era: 'modern', sha256: hash('b') }), 'wrong-shape'],
    [of({ era: null, sha256, lines: ['another text'] }), 'wrong-hash'],
    [
      { version: 1, pins: [of({ era: null, sha256 }).pins[0], of({ era: null, sha256 }).pins[0]] },
      'wrong-shape',
    ],
  ])('%j cannot be used: %s', (file, code) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    expect(() => parsePins(text, hash)).toThrow(expect.objectContaining({ name: 'PinFileError', code }));
  });

  test('a pin by hash alone, as a person may write it, counts', () => {
    const pins = parsePins(`\uFEFF${JSON.stringify(of({ era: null, sha256 }))}`, hash);
    expect(isApproved(pins, by('docs'), sha256)).toBe(true);
    expect(approvedFor(pins, by('docs', 'modern'))).toMatchObject({ sha256, text: undefined });
  });
});
