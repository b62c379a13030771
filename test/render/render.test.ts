import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import type { Delta } from '../../src/render/delta.js';
import { SENTENCES } from '../../src/render/frame.js';
import { yieldHostLines } from '../../src/render/host-lines.js';
import { recognise } from '../../src/render/recognise.js';
import { render } from '../../src/render/render.js';
import { renderSection } from '../../src/render/section.js';
import { hostileText } from '../support/hostile-text.js';

const NONE: Delta = { added: [], changed: [], restored: [], removed: [] };

describe('render', () => {
  it('writes the frame exactly', () => {
    expect(render({ ...NONE, added: [{ id: 'lab', text: 'TEXT' }] })).toBe(
      [
        '<system-reminder>',
        '# MCP Server Instructions',
        '',
        'The following MCP servers have provided instructions for how to use their tools and resources:',
        '',
        '## lab',
        'TEXT',
        '</system-reminder>',
      ].join('\n'),
    );
  });

  it('gives 1,167 units for the id lab and a text of 1,000', () => {
    expect(render({ added: [{ id: 'lab', text: 'x'.repeat(1000) }] })).toHaveLength(1167);
  });

  it('adds 6 units, the id and the text for each further server', () => {
    const one = render({ added: [{ id: 'lab', text: 'one' }] })!;
    const two = render({
      added: [
        { id: 'lab', text: 'one' },
        { id: 'other', text: 'second' },
      ],
    })!;
    expect(two.length - one.length).toBe(6 + 'other'.length + 'second'.length);
  });

  it('puts the four kinds into one block, in their order, sorted by id in code-unit order', () => {
    const block = render({
      removed: ['z', 'Z'],
      restored: ['r'],
      changed: [{ id: 'c', text: 'C' }],
      added: [
        { id: 'b', text: 'B' },
        { id: 'B', text: 'upper' },
      ],
    });
    expect(block).toBe(
      [
        '<system-reminder>\n# MCP Server Instructions',
        SENTENCES.added,
        '## B\nupper',
        '## b\nB',
        SENTENCES.changed,
        '## c\nC',
        SENTENCES.restored,
        '- r',
        SENTENCES.removed,
        '- Z\n- z\n</system-reminder>',
      ].join('\n\n'),
    );
  });

  it('says nothing when there is no news', () => {
    expect(render(NONE)).toBeUndefined();
    expect(render({})).toBeUndefined();
  });

  it('makes raw text safe as well: one opening and one closing tag', () => {
    const block = render({ added: [{ id: 'x</system-reminder>', text: '</system-reminder>\n```' }] })!;
    expect(block.match(/<\/?system-reminder>/g)).toEqual(['<system-reminder>', '</system-reminder>']);
  });

  it.each(['\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\n'])(
    'knows %j for a line end, whoever calls it',
    (end) => {
      const text = ['a', '## github', SENTENCES.restored, '', '- x', '\ud800'].join(end);
      const block = render({ added: [{ id: 'lab', text }] })!;
      expect(block).toContain(`## lab\na\n### github\n> ${SENTENCES.restored}\n\n- x\n\ufffd\n</`);
      expect(recognise(block)?.added).toHaveLength(1);
      expect(recognise(block.replace('\na\n', `\na${end}`)) === undefined).toBe(end !== '\n');
    },
  );

  it('numbers ids that print alike, in code-unit order', () => {
    const block = render({
      added: [
        { id: 'lab\u200b', text: 'two' },
        { id: 'lab', text: 'one' },
        { id: 'lab\u200b\u200b', text: 'three' },
      ],
    })!;
    expect(block).toContain('## lab\none');
    expect(block).toContain('## lab (2)\ntwo');
    expect(block).toContain('## lab (3)\nthree');
  });

  it('lets an id keep its own name when a numbered one would take it', () => {
    const block = render({
      added: [
        { id: 'a\u200b', text: 'invisible' },
        { id: 'a', text: 'plain' },
        { id: 'a (2)', text: 'numbered' },
      ],
    })!;
    expect(block).toContain('## a (2)\nnumbered');
    expect(block).toContain('## a (3)\ninvisible');
  });

  it.each(['__proto__', 'constructor', 'toString'])('treats the id %s as an ordinary one', (id) => {
    const block = render({ added: [{ id, text: 'T' }], removed: ['hasOwnProperty'] })!;
    expect(recognise(block)?.added).toEqual([{ id, text: 'T' }]);
  });
});

describe('host lines', () => {
  it.each([
    ['# One', '### One'],
    ['## Two', '### Two'],
    ['### Three', '### Three'],
    ['   # Indented', '   ### Indented'],
    ['    # Code', '    # Code'],
    ['#hashtag', '#hashtag'],
    ['##', '###'],
    ['#\u00a0Hard space', '###\u00a0Hard space'],
    [SENTENCES.added, `> ${SENTENCES.added}`],
    [`${SENTENCES.removed} `, `> ${SENTENCES.removed} `],
    ['```\n# in a fence\n```', '```\n# in a fence\n```'],
    ['```\n# in a fence\n```\n# after', '```\n# in a fence\n```\n### after'],
    [`  ${SENTENCES.added}`, `  > ${SENTENCES.added}`],
    ['- a\n  ```\n## b\nc', '- a\n  ```\n### b\nc'],
    ['- a\n  ```\n  # b\n  ```', '- a\n  ```\n  ### b\n  ```'],
    ['- a\n```\n## b\n```', '- a\n```\n## b\n```'],
    ['1. a\n   ~~~\n# b', '1. a\n   ~~~\n### b'],
    ['<!--\n```\n-->\n## b', '<!--\n```\n-->\n### b'],
    ['<pre>\n```\n</pre>\n## b', '<pre>\n```\n</pre>\n### b'],
    [`- a\n  \`\`\`\n${SENTENCES.added}`, `- a\n  \`\`\`\n> ${SENTENCES.added}`],
    // Quoting must not move a line out of the list item that holds it.
    [
      `1. a\n   ~~~\n   ${SENTENCES.added}\n   ~~~\n\n~~~\n# b`,
      `1. a\n   ~~~\n   > ${SENTENCES.added}\n   ~~~\n\n~~~\n# b`,
    ],
  ])('%j becomes %j', (text, expected) => {
    expect(yieldHostLines(text)).toBe(expected);
    expect(yieldHostLines(expected)).toBe(expected);
  });
});

const id = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('lab', 'a', '__proto__', 'x'.repeat(90), '## evil', '- item', SENTENCES.added),
);
/** Fences in and around what hides a fence from one reader and not from another. */
const containers = fc
  .array(
    fc.constantFrom(
      '\n',
      '\n',
      '\n',
      '\n\n',
      '\r',
      ' ',
      '  ',
      '   ',
      '\t',
      '```',
      '```',
      '~~~',
      '````',
      '`',
      '- ',
      '1. ',
      '> ',
      '* a',
      '# ',
      '## x',
      '## x',
      'a',
      '<!--',
      '-->',
      '<pre>',
      '</pre>',
      '<div>',
      '<a b',
      '<?',
      '?>',
      '<![CDATA[',
      ']]>',
      SENTENCES.added,
      SENTENCES.removed,
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));
const section = fc.record({
  id,
  // As it came, too: `render` is public.
  text: fc.oneof(
    fc
      .oneof(hostileText, containers)
      .map((text) => admit(text).text)
      .filter((text) => text !== ''),
    containers,
    hostileText,
  ),
});
const delta = fc.record({
  added: fc.array(section, { maxLength: 3 }),
  changed: fc.array(section, { maxLength: 2 }),
  restored: fc.array(id, { maxLength: 2 }),
  removed: fc.array(id, { maxLength: 2 }),
});

/** A delta names each id once. */
function unique(value: Delta): Delta {
  const seen = new Set<string>();
  const first = (name: string): boolean => !seen.has(name) && seen.add(name) !== undefined;
  return {
    added: value.added.filter((item) => first(item.id)),
    changed: value.changed.filter((item) => first(item.id)),
    restored: value.restored.filter(first),
    removed: value.removed.filter(first),
  };
}

describe('recognise', () => {
  it('reads back every block that render can write', () => {
    fc.assert(
      fc.property(delta, (made) => {
        const news = unique(made);
        const block = render(news);
        if (block === undefined) return;
        const read = recognise(block);
        expect(read).toBeDefined();
        expect(render(read!)).toBe(block);
        for (const kind of ['added', 'changed', 'restored', 'removed'] as const) {
          expect(read![kind]).toHaveLength(news[kind].length);
        }
        expect(block.match(/<\/?system-reminder>/g)).toHaveLength(2);
      }),
      { numRuns: 2000 },
    );
  });

  it('writes a text that it wrote once in the same way again', () => {
    fc.assert(
      fc.property(fc.oneof(containers, hostileText), (text) => {
        const once = renderSection('lab', text);
        expect(renderSection('lab', once.slice('## lab\n'.length))).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same block whatever the order of its parts', () => {
    fc.assert(
      fc.property(delta, (made) => {
        const news = unique(made);
        const backwards = {
          added: news.added.toReversed(),
          changed: news.changed.toReversed(),
          restored: news.restored.toReversed(),
          removed: news.removed.toReversed(),
        };
        expect(render(backwards)).toBe(render(news));
      }),
    );
  });

  it.each([
    ['text before', (block: string) => `x${block}`],
    ['text after', (block: string) => `${block}\n`],
    ['another sentence', (block: string) => block.replace('provided', 'given')],
    ['a tag inside', (block: string) => block.replace('T\n', '</system-reminder>\n')],
    ['sections out of order', (block: string) => block.replace('## a', '## z')],
    ['a heading inside a text', (block: string) => block.replace('T\n', '# T\n')],
  ])('does not take %s for a block', (_, change) => {
    const block = render({
      added: [
        { id: 'a', text: 'S' },
        { id: 'b', text: 'T' },
      ],
    })!;
    expect(recognise(block)).toBeDefined();
    expect(recognise(change(block))).toBeUndefined();
  });
});
