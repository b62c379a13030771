import { describe, expect, test } from 'vitest';

import { kindOf } from '../src/values.js';

class OpenAI {
  readonly key: string = 'S3CRET';
}
class 秘密 extends OpenAI {}

describe('what kind of value came', () => {
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', 'an empty string'],
    ['S3CRET', 'a string'],
    [5, 'a number'],
    [5n, 'a bigint'],
    [true, 'a boolean'],
    [Symbol('S3CRET'), 'a symbol'],
    [() => {}, 'a function'],
    [[], 'an array'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new OpenAI(), 'an object (OpenAI)'],
    [new Map(), 'an object (Map)'],
    [Promise.resolve(), 'an object (Promise)'],
    // What an object holds itself may be anybody's words.
    [{ constructor: { name: 'S3CRET' } }, 'an object'],
    [{ constructor: class S3CRET extends OpenAI {} }, 'an object'],
    [JSON.parse('{ "__proto__": { "constructor": { "name": "S3CRET" } } }'), 'an object'],
    [Object.create({ constructor: { name: 'S3CRET' } }), 'an object'],
    [new 秘密(), 'an object'],
    [new (class extends Object {})(), 'an object'],
  ])('%#: %s is said as %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });

  test('never throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(kindOf(proxy)).toBe('an object');
  });
});
