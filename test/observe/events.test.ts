import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanEvent } from '../../src/observe/clean-event.js';
import type { EventFields } from '../../src/observe/event-fields.js';
import { events, findEvent } from '../../src/observe/events.js';
import { readTable } from '../support/markdown-table.js';
import { untyped } from './untyped.js';
import { recordingObserver } from './recording-observer.js';

const reserved: ReadonlySet<string> = new Set([
  'event',
  'repeated',
  'level',
  'time',
  'pid',
  'hostname',
  'msg',
  'name',
]);

describe('the table of events', () => {
  test.each(Object.entries(events))(
    '%s is noun then verb, with a message and no reserved field',
    (name, definition) => {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(definition.message).toMatch(/^[A-Z][^.]+[^.]$/);
      expect(Object.keys(definition.fields).filter((field) => reserved.has(field))).toEqual([]);
    },
  );

  test('is docs/logs.md, row for row', () => {
    const expected = Object.entries(events).map(([name, { level, message, fields }]) => [
      `\`${name}\``,
      level,
      message,
      Object.entries(fields)
        .map(([field]) => `\`${field}\``)
        .join(', '),
    ]);
    expect(expected.length).toBeGreaterThan(30);
    expect(readTable('docs/logs.md', 'event')).toEqual(expected);
  });

  test('docs/logs.md says of every field what it holds', () => {
    const used = new Map<string, string>();
    for (const { fields } of Object.values(events)) {
      for (const [field, kind] of Object.entries(fields)) {
        expect(used.get(field) ?? kind, `${field} has one kind everywhere`).toBe(kind);
        used.set(field, kind);
      }
    }
    const documented = readTable('docs/logs.md', 'field').map(([field, kind]) => `${field} ${kind}`);
    const expected = [...used].map(([field, kind]) => `\`${field}\` ${kind}`);
    expect(documented).toEqual([...expected, '`repeated` count']);
  });

  test.each(['__proto__', 'toString', 'server', ''])('%j is no event', (name) => {
    expect(findEvent(name)).toBeUndefined();
  });
});

describe('cleaning an event', () => {
  const definition = {
    level: 'info',
    message: 'A test',
    fields: {
      id: 'label',
      code: 'word',
      size: 'count',
      yes: 'flag',
      sum: 'hash',
      ids: 'labels',
      codes: 'words',
    },
  } as const;

  test('keeps what the table lists, in its order, and leaves out what is not there', () => {
    const sum = 'a'.repeat(64);
    const { fields, dropped } = cleanEvent(definition, {
      codes: ['x', 'y'], ids: ['b c'], sum, yes: false, size: 0, code: 'E_1', id: 'server one', extra: undefined,
    }); // prettier-ignore
    expect(Object.entries(fields)).toEqual([
      ['id', 'server one'],
      ['code', 'E_1'],
      ['size', 0],
      ['yes', false],
      ['sum', 'a'.repeat(12)],
      ['ids', ['b c']],
      ['codes', ['x', 'y']],
    ]);
    expect(dropped).toEqual(['extra']);
    expect(cleanEvent(definition, { id: null, code: undefined })).toEqual({ fields: {}, dropped: [] });
  });

  const refused: readonly EventFields[] = [
    { id: 5 },
    { code: 'two words' },
    { code: 'https://user:S3CRET@host' },
    { code: '' },
    { code: 'x'.repeat(65) },
    { size: Number.NaN },
    { size: Infinity },
    { size: '5' },
    { yes: 1 },
    { sum: 'A'.repeat(12) },
    { sum: 'a'.repeat(11) },
    { ids: 'x' },
    { codes: ['ok', 'not ok'] },
    { text: 'S3CRET' },
    { toString: 'S3CRET' },
  ];
  test.each(refused.map((fields) => ({ fields })))('drops $fields', ({ fields }) => {
    expect(cleanEvent(definition, fields)).toEqual({ fields: {}, dropped: Object.keys(fields) });
  });

  test('a getter that throws is a dropped field', () => {
    const fields = {
      size: 1,
      get code(): string {
        throw new Error('S3CRET');
      },
    };
    expect(cleanEvent(definition, fields)).toEqual({ fields: { size: 1 }, dropped: ['code'] });
  });

  test('labels are printable and bounded, whatever came', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 200 }), (id) => {
        const shown = cleanEvent(definition, { id }).fields['id'];
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(String(shown).length).toBeLessThanOrEqual(64 * 10 + 1);
      }),
    );
  });

  test('lists are bounded', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `id${index}`);
    expect(cleanEvent(definition, { ids }).fields['ids']).toEqual(ids.slice(0, 20));
  });
});

describe('the recording observer', () => {
  test('sees what the log would drop', () => {
    const observer = recordingObserver();
    observer.emit('warn', 'store-failed', { operation: 'get', reason: 'timed-out' });
    expect(observer.problems).toEqual([]);
    observer.emit('info', 'store-failed', { text: 'S3CRET' });
    untyped(observer).emit('info', 'no-such-event');
    expect(observer.problems).toEqual([
      'store-failed: level info, not warn',
      'store-failed: field text is dropped',
      'no-such-event: no such event',
    ]);
    expect(observer.named('store-failed')).toHaveLength(2);
  });
});
