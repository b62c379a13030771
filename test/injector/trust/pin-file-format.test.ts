import { createHash } from 'node:crypto';

import { array, assert, constantFrom, option, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { formatPins, parsePins } from '../../../src/injector/trust/pin-file-format.js';
import { approve, approvedFor, isApproved, type Pins } from '../../../src/injector/trust/pins.js';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const kept = (text: string, era: 'modern' | 'legacy' | null = null) => ({ sha256: hash(text), era, text });
const none: Pins = new Map();

describe('pins', () => {
  test('the two handshakes of a server stand side by side, and each replaces its own text only', () => {
    let pins = approve(none, 'i', 'docs', kept('modern one', 'modern'));
    pins = approve(pins, 'i', 'docs', kept('legacy one', 'legacy'));
    pins = approve(pins, 'i', 'docs', kept('modern two', 'modern'));
    const pin = pins.get('i');
    expect(pin?.texts.map(({ era, text }) => [era, text])).toEqual([
      ['legacy', 'legacy one'],
      ['modern', 'modern two'],
    ]);
    expect(isApproved(pin, hash('legacy one'))).toBe(true);
    expect(isApproved(pin, hash('modern one'))).toBe(false);
    expect(approvedFor(pin, 'modern')?.text).toBe('modern two');
    expect(approvedFor(pin, null)?.text).toBe('legacy one');
  });

  test('a hash without a handshake does not outlive the next approval', () => {
    const pins = approve(approve(none, 'i', 'docs', kept('old')), 'i', 'docs', kept('new', 'modern'));
    expect(isApproved(pins.get('i'), hash('old'))).toBe(false);
    const back = approve(pins, 'i', 'docs', kept('newer'));
    expect(isApproved(back.get('i'), hash('new'))).toBe(false);
  });

  test('approving changes no pins that are in use', () => {
    const before = approve(none, 'i', 'docs', kept('old'));
    approve(before, 'i', 'docs', kept('new'));
    expect(isApproved(before.get('i'), hash('old'))).toBe(true);
  });
});

describe('the file', () => {
  test('is sorted, stable, and shows what a reader would not see', () => {
    let pins = approve(none, 'id-2', 'tickets', kept('Ünïcode \u{1f389}\nsecond\u202e line\u{e0041}'));
    pins = approve(pins, 'id-1', 'docs', kept('legacy', 'legacy'));
    pins = approve(pins, 'id-1', 'docs', kept('modern', 'modern'));
    const file = formatPins(pins);
    expect(file).toBe(`{
  "version": 1,
  "pins": [
    {
      "server": "docs",
      "identity": "id-1",
      "texts": [
        {
          "era": "legacy",
          "sha256": "${hash('legacy')}",
          "lines": [
            "legacy"
          ]
        },
        {
          "era": "modern",
          "sha256": "${hash('modern')}",
          "lines": [
            "modern"
          ]
        }
      ]
    },
    {
      "server": "tickets",
      "identity": "id-2",
      "texts": [
        {
          "era": null,
          "sha256": "${hash('Ünïcode \u{1f389}\nsecond\u202e line\u{e0041}')}",
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
    const pins = parsePins(formatPins(approve(none, 'i', 'docs', kept(long))), hash);
    expect(pins.get('i')?.texts).toEqual([{ era: null, sha256: hash(long), text: undefined }]);
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
          pins = approve(pins, identity.toWellFormed(), server.toWellFormed(), {
            era,
            sha256: hash(whole ?? 'unknown'),
            text: whole,
          });
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
  const of = (...texts: unknown[]) => ({ version: 1, pins: [{ server: 'docs', identity: 'i', texts }] });
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
    [{ version: 1, pins: [{ server: 'd', identity: '', texts: [{ era: null, sha256 }] }] }, 'wrong-shape'],
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
    expect(isApproved(pins.get('i'), sha256)).toBe(true);
    expect(approvedFor(pins.get('i'), 'modern')?.text).toBeUndefined();
  });
});
