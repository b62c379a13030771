import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CallExpression, parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { events, findEvent } from '../../src/observe/events.js';

interface Emitted {
  readonly where: string;
  readonly level: unknown;
  readonly event: unknown;
  /** Names of fields that are written out; a spread is not looked into. */
  readonly fields: readonly string[];
  /** Whether there may be more. */
  readonly isOpen: boolean;
}

const root = fileURLToPath(new URL('../../src/', import.meta.url));

/** Every `something.emit(level, event, fields)` of an observer in a source text. */
function emittedIn(file: string, source: string): Emitted[] {
  const found: Emitted[] = [];
  new Visitor({
    CallExpression: (call) => {
      const { callee } = call;
      if (
        callee.type !== 'MemberExpression' ||
        callee.property.type !== 'Identifier' ||
        callee.property.name !== 'emit'
      )
        return;
      if (!/observer$/i.test(source.slice(callee.object.start, callee.object.end))) return;
      const line = source.slice(0, call.start).split('\n').length;
      found.push({ where: `${file}:${line}`, ...readArguments(call) });
    },
  }).visit(parseSync(file, source).program);
  return found;
}

function readArguments({ arguments: given }: CallExpression): Omit<Emitted, 'where'> {
  const [level, event] = given.map((argument) => (argument.type === 'Literal' ? argument.value : undefined));
  const fields = given[2];
  const properties = fields?.type === 'ObjectExpression' ? fields.properties : [];
  return {
    level,
    event,
    fields: properties.flatMap((property) =>
      property.type === 'Property' && property.key.type === 'Identifier' ? [property.key.name] : [],
    ),
    isOpen:
      fields?.type !== 'ObjectExpression' || properties.some((property) => property.type !== 'Property'),
  };
}

function problemsOf({ where, level, event, fields }: Emitted): string[] {
  const definition = typeof event === 'string' ? findEvent(event) : undefined;
  if (!definition) return [`${where}: ${String(event)} is no event`];
  const problems = fields
    .filter((field) => !Object.hasOwn(definition.fields, field))
    .map((field) => `${where}: ${String(event)} has no field ${field}`);
  if (level !== definition.level)
    problems.push(`${where}: ${String(event)} is ${definition.level}, not ${String(level)}`);
  return problems;
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('observe'),
);
const emitted = files.flatMap((file) => emittedIn(file, readFileSync(`${root}${file}`, 'utf8')));

test('the scan finds what is planted', () => {
  const planted = emittedIn(
    'x.ts',
    "this.#observer.emit('warn', 'store-failed', { operation, text: 1, ...more });\nother.emit('x', 'y');",
  );
  expect(planted).toEqual([
    { where: 'x.ts:1', level: 'warn', event: 'store-failed', fields: ['operation', 'text'], isOpen: true },
  ]);
  expect(planted.flatMap(problemsOf)).toEqual(['x.ts:1: store-failed has no field text']);
  expect(emitted.length).toBeGreaterThan(10);
});

test('what is emitted is in the table, at its level, with its fields', () => {
  expect(emitted.flatMap(problemsOf)).toEqual([]);
});

test('every event of the table is emitted somewhere', () => {
  // By the log itself, which knows no observer.
  const names = new Set(['logs-dropped', ...emitted.map(({ event }) => event)]);
  expect(Object.keys(events).filter((name) => !names.has(name))).toEqual([]);
});

test('every field of the table is set somewhere', () => {
  const unset = Object.entries(events).flatMap(([name, { fields }]) => {
    const places = emitted.filter(({ event }) => event === name);
    // Fields that are made elsewhere are not looked into.
    if (places.length === 0 || places.some(({ isOpen }) => isOpen)) return [];
    const set = new Set(places.flatMap((place) => place.fields));
    return Object.keys(fields).flatMap((field) => (set.has(field) ? [] : [`${name}: ${field}`]));
  });
  expect(unset).toEqual([]);
});
