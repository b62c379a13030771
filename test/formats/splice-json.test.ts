import fc from 'fast-check';
import { expect, test } from 'vitest';

import { spliceJson } from '../../src/formats/splice-json.js';

interface Body {
  readonly messages: readonly { readonly content?: unknown; readonly role?: string }[];
}

/** Not `Object.assign`, which takes a field called `__proto__` for the prototype. */
const copyOf = <Value extends object, More extends object>(value: Value, more: More): Value & More => ({
  ...value,
  ...more,
});

/** A copy with a part put into the message of an index, and a message of its own after it. */
function withBlock(body: Body, index: number): Body {
  const messages = body.messages.flatMap((message, at) =>
    at === index ? [copyOf(message, { content: ['block', message.content] }), { role: 'own' }] : [message],
  );
  return copyOf(body, { messages });
}

test.each<[string, string]>([
  [
    '{"seed":12345678901234567890,"messages":[{"content":"a"}]}',
    '{"seed":12345678901234567890,"messages":[{"content":["block","a"]},{"role":"own"}]}',
  ],
  [
    '{ "messages" : [ { "id" : 9007199254740993 , "content" : "a\\"}" } ] , "n" : 1.0 }',
    '{ "messages" : [{ "id" : 9007199254740993 , "content" : ["block","a\\"}"] },{"role":"own"}] , "n" : 1.0 }',
  ],
  [
    '{"model":"a","model":"b","__proto__":{"x":1},"messages":[],"messages":[{"content":"a"}]}',
    '{"model":"a","model":"b","__proto__":{"x":1},"messages":[],"messages":[{"content":["block","a"]},{"role":"own"}]}',
  ],
  ['{"mess\\u0061ges":[{"content":"a"}]}', '{"mess\\u0061ges":[{"content":["block","a"]},{"role":"own"}]}'],
])('%s', (text, expected) => {
  const before = JSON.parse(text) as Body;
  expect(spliceJson(text, before, withBlock(before, 0))).toBe(expected);
});

test('the parts of a message that gets one more stay as they are', () => {
  const text = '{"messages":[{"content":[{"n":1e400},{"n":9007199254740993}]}]}';
  const before = JSON.parse(text) as { messages: { content: object[] }[] };
  const [message] = before.messages;
  const content = [message!.content[0], 'block', message!.content[1]];
  const after = { ...before, messages: [{ ...message, content }] };
  expect(spliceJson(text, before, after)).toBe(
    '{"messages":[{"content":[{"n":1e400},"block",{"n":9007199254740993}]}]}',
  );
});

test('a field that was not there comes last', () => {
  expect(spliceJson('{}', {}, { a: 1, b: undefined })).toBe('{"a":1}');
  const before = { a: 1 };
  expect(spliceJson('{"a":1 }', before, { ...before, b: 2 })).toBe('{"a":1 ,"b":2}');
});

test('an object in an object, and what JSON has no word for', () => {
  const before = { a: { b: { c: 1 } }, d: [1, {}] };
  const after = { a: { b: { c: 1, e: 2 } }, d: [1, undefined] };
  expect(spliceJson('{"a":{"b":{"c":1}},"d":[1,{}]}', before, after)).toBe(
    '{"a":{"b":{"c":1,"e":2}},"d":[1,null]}',
  );
});

test('what is written is what was made, whatever the body', () => {
  const message = fc.record({ content: fc.jsonValue(), more: fc.jsonValue() });
  const bodies = fc.record({ messages: fc.array(message, { minLength: 1 }), other: fc.jsonValue() });
  fc.assert(
    fc.property(bodies, fc.nat(), fc.constantFrom(undefined, 1, '\t'), (body, index, indent) => {
      const text = JSON.stringify(body, null, indent);
      const before = JSON.parse(text) as Body;
      const after = withBlock(before, index % before.messages.length);
      expect(JSON.parse(spliceJson(text, before, after))).toEqual(JSON.parse(JSON.stringify(after)));
      expect(spliceJson(text, before, before)).toBe(text);
    }),
  );
});

test('any value is written in place of any other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(undefined, 2), (from, to, indent) => {
      const text = JSON.stringify(from, null, indent);
      const after: unknown = JSON.parse(JSON.stringify(to));
      expect(JSON.parse(spliceJson(text, JSON.parse(text), after))).toEqual(after);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a field that is gone', '{"a":1,"b":2}', { b: 2 }, '{"b":2}'],
  ['a field without a value', '{"a":1,"b":{"c":3}}', { a: undefined, b: 4 }, '{"b":4}'],
  ['within an item', '[{},[{"":null}]]', ['x', [{}, [{ '': null }]]], '["x",[{},[{"":null}]]]'],
])('%s is not kept', (_, text, after, expected) => {
  expect(spliceJson(text, JSON.parse(text), after)).toBe(expected);
});
