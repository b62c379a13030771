/** Makes texts from fragments of what breaks frames; the same number gives the same text on every machine. */

type Random = () => number;

/** Mulberry32: small, fast, and good enough to pick fragments. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

const NAMES = [
  'system-reminder',
  'system reminder',
  'system_reminder',
  'mcp-server-instructions',
  'mcp-instructions',
];
const OPENERS = [
  '<',
  '<',
  '<',
  '<',
  '＜',
  '﹤',
  '‹',
  '«',
  '〈',
  '《',
  '⟨',
  '❮',
  '˂',
  '\u226e',
  '<\u0338',
  '𝈶',
  '<<',
  '< ',
];
const ENCODED = [
  '&lt;',
  '&LT',
  '&#60;',
  '&#x3C;',
  '&#0060',
  '\\u003c',
  '\\u003C',
  '\\x3c',
  '%3C',
  '%3c',
  '%253C',
  '&amp;lt;',
];
const SLASHES = [
  '',
  '',
  '/',
  '/',
  ' / ',
  '\\',
  '⁄',
  '∕',
  '／',
  '//',
  '\n/',
  '%2F',
  '&#47;',
  '\\u002f',
  '&sol;',
];
const ENDS = ['>', '>', ' >', '/>', '＞', '〉', '', ' a=">" b>', '&gt;', '%3E', '\n'];
const UNSEEN = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u202e',
  '\u200e',
  '\u2066',
  '\u061c',
  '\0',
  '\b',
  '\x1b[8m',
  '\x1b',
  '\ufe0f',
  '\ufe01',
  '\u{e0041}',
  '\u{e0100}',
  '\u0301',
  '\u20dd',
  '\u3164',
  '\u115f',
  '\u2800',
  '\ue000',
  '\u{1d173}',
];
const DASHES = [
  '-',
  '-',
  '--',
  '',
  ' ',
  '_',
  '‐',
  '‑',
  '–',
  '—',
  '−',
  '－',
  '﹣',
  '·-',
  '\u00a0',
  '\u3000',
  '\t',
  '\n',
];
const LOOK_ALIKES: Readonly<Record<string, readonly string[]>> = {
  s: ['ѕ', 'ｓ', 'ſ', '𝐬', 'ꜱ', 'ⓢ', 'Ѕ'],
  y: ['у', 'ｙ', '𝗒', 'ʏ', 'ý'],
  t: ['т', 'ｔ', 'τ', '𝘵', 'ᴛ'],
  e: ['е', 'ｅ', 'é', '𝔢', 'ᴇ', 'ℯ'],
  m: ['м', 'ｍ', 'ᴍ', 'ⅿ', '𝓶'],
  r: ['г', 'ｒ', 'ʀ', '𝕣'],
  i: ['і', 'ı', 'ｉ', 'ɪ', 'ⅰ', 'İ'],
  n: ['ո', 'ｎ', 'ɴ', '𝚗'],
  d: ['ԁ', 'ｄ', 'ᴅ', 'ⅾ'],
  c: ['с', 'ｃ', 'ⅽ'],
  p: ['р', 'ｐ'],
  u: ['υ', 'ｕ'],
  o: ['о', 'ο', 'ｏ'],
  v: ['ν', 'ѵ', 'ｖ'],
};

/** One of the wrapper's tags, disguised. */
function forgedTag(random: Random): string {
  const disguise = random();
  let name = '';
  for (const letter of pick(random, NAMES)) {
    if (random() < disguise / 6) name += pick(random, UNSEEN);
    if (letter === '-' || letter === ' ' || letter === '_') {
      name += random() < disguise ? pick(random, DASHES) : letter;
      continue;
    }
    const alikes = LOOK_ALIKES[letter];
    if (alikes !== undefined && random() < disguise / 3) name += pick(random, alikes);
    else name += random() < 0.3 ? letter.toUpperCase() : letter;
  }
  const opener = random() < 0.2 ? pick(random, ENCODED) : pick(random, OPENERS);
  const gap = random() < disguise / 3 ? pick(random, UNSEEN) : '';
  return opener + gap + pick(random, SLASHES) + gap + name + pick(random, ENDS);
}

const PIECES = [
  '<',
  '</',
  '>',
  '/',
  'system',
  '-',
  'reminder',
  '_reminder',
  'system-rem',
  'inder>',
  'mcp-',
  'server-',
  'instructions',
  '<system>',
  '<systemd>',
  '<reminder>',
  'Map<string, List<Item>>',
  '<10 users',
  'updated:<@today-30d',
  '&amp;',
  '&lt;',
  '%3C',
  '\\u003c',
  '[',
  '[/system-reminder>',
  '# MCP Server Instructions',
  '# ',
  '## lab',
  '##',
  '   ## x',
  '### fine',
  '\n===\n',
  '\n---\n',
  'The following MCP servers have provided instructions for how to use their tools and resources:',
  '```',
  '```js',
  '````',
  '`````````',
  '~~~',
  '~~~~~~~~~~~~',
  '   ```',
  '    ```',
  '``` a`b',
  '`` ` ``',
  '\n```\n',
  '\n~~~\n',
  '\n``````````\n',
  '… [truncated]',
  '… [trunc',
  '... [truncated]',
  '… [truncated]\n```',
  '\ud800',
  '\udc00',
  '\ud83d',
  '😀',
  '👨\u200d👩\u200d👧\u200d👦',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  '🏴\u{e0067}\u{e0062}',
  '🇨🇦',
  '🇨',
  '✔\ufe0f',
  '1\ufe0f\u20e3',
  '👍🏽',
  '❤\ufe0f\u200d🔥',
  'می\u200cخواهم',
  'क\u094d\u200dष',
  'PDF\u200cها',
  'กิน\u200bน้ำ',
  'e\u0301',
  'e\u0301\u0302\u0303\u0304\u0305',
  'が',
  '\u1100\u1161\u11a8',
  '\u1100\u1100',
  '👨\u200d',
  '⠓⠊\u2800⠓',
  '請求書',
  'שלום',
  '\r\n',
  '\r',
  '\n',
  '\n\n',
  '\n \n',
  '\u2028',
  '\u0085',
  '\f',
  '\t',
  ' ',
  '   ',
  '\x1b[8m',
  '\x1b]0;x\x07',
  '\x1b]',
  '\x9b1m',
  '\x1b',
  '<|im_start|>',
  'Human:',
  'plain words',
  'a',
  '.',
  '1',
];

/**
 * @param number which text
 * @returns a text of up to a few hundred units
 */
export function fuzzText(number: number): string {
  const random = randomFrom(Math.imul(number + 1, 0x9e3779b1));
  const count = 1 + Math.floor(random() * 14);
  let text = '';
  for (let index = 0; index < count; index += 1) {
    const kind = random();
    if (kind < 0.2) text += forgedTag(random);
    else if (kind < 0.35) text += pick(random, UNSEEN);
    else if (kind < 0.4)
      text += pick(random, [...PIECES, ...UNSEEN]).repeat(1 + Math.floor(random() ** 2 * 100));
    else text += pick(random, PIECES);
    if (random() < 0.15) text += '\n';
  }
  return text;
}

/**
 * @param number which text
 * @returns a cap to admit it under, often one that falls into it
 */
export function fuzzCap(number: number): number {
  const random = randomFrom(number ^ 0x5bd1e995);
  return random() < 0.2 ? 2048 : 1 + Math.floor(random() * 120);
}
