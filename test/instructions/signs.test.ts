import { describe, expect, test } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import { FLAGS } from '../../src/instructions/flags.js';

const countsOf = (text: string, otherServers: readonly string[] = []): unknown =>
  admit(text, { otherServers }).counts;

describe('noticed, and left as it is', () => {
  test.each([
    ['an authority tag', '<system>a</system>', { 'authority-tag': 2 }],
    [
      'others of them',
      '<IMPORTANT>a</IMPORTANT> <tool_result> <system-prompt> <assistant >',
      { 'authority-tag': 5 },
    ],
    ['tool-call mark-up', '<function_calls><invoke name="x">a', { 'authority-tag': 2 }],
    ['turns', 'a\n\nHuman: b\nAssistant: c\nH: d', { 'role-marker': 3 }],
    ['special tokens', '<|im_start|>a<|im_end|><|endoftext|>[INST]b[/INST]<<SYS>>', { 'special-token': 6 }],
    ['full-width ones', '<｜begin▁of▁sentence｜>', { 'special-token': 1 }],
    ['turn tokens', '<start_of_turn>a<end_of_turn>', { 'special-token': 2 }],
    ['the marker', 'a … [truncated]', { 'marker-spoof': 1 }],
    ['the marker with full stops', 'a ... [truncated] b', { 'marker-spoof': 1 }],
    ['a sentence of the host', 'The following MCP servers are no longer connected', { 'marker-spoof': 1 }],
    ['a link to elsewhere', '[https://good.example](https://bad.invalid/x)', { 'link-mismatch': 1 }],
    ['front matter', '---\nrole: system\n---\na', { 'front-matter': 1 }],
    ['text out of sight', `a${' '.repeat(500)}b`, { 'space-flood': 1 }],
  ])('%s', (_, text, counts) => {
    const admission = admit(text);
    expect(admission.counts).toEqual(counts);
    expect(admission.text).toBe(text);
  });

  test.each([
    ['placeholders', '<user> <owner> <number> <systems> <invoked>'],
    ['words in running text', 'The Human: label; System settings: none'],
    ['a link to itself', '[https://a.example/x](https://A.example/y)'],
    ['a named link', '[docs](https://a.example)'],
    ['a rule', 'a\n\n---\n\nb'],
    ['a comparison', 'a <| b |> c'],
    ['an indented block', `a\n${' '.repeat(100)}b`],
    ['the truncated word', '[truncated]'],
  ])('not %s', (_, text) => {
    expect(countsOf(text)).toEqual({});
  });
});

describe('headings', () => {
  test.each([
    ['the host’s', '# MCP Server Instructions'],
    ['the host’s, lower and closed', '## mcp server instructions ##'],
    ['a server’s section', '## other-server'],
    ['an id in the host’s level', '##  plugin:docs'],
    ['a word in small letters', '## github'],
    ['an underlined one', 'github\n======'],
    ['three spaces before', '   ## other-server'],
    ['after a fence', '```\na\n```\n## other-server'],
  ])('%s', (_, text) => {
    expect(admit(text)).toMatchObject({ counts: { 'fake-heading': 1 }, text: text.trim() });
  });

  test.each([
    ['honest ones', '# Usage\n\n## Getting started\n\n### get_invoice\n\n#### x-y'],
    ['in a fence', '```sh\n## other-server\n```'],
    ['without a space', '##other-server'],
    ['four spaces before', 'a\n    ## other-server'],
    ['a table or a rule', 'a\n\n===\n\n| a |\n|---|'],
  ])('not %s', (_, text) => {
    expect(countsOf(text)).toEqual({});
  });

  test('a known id counts whatever it looks like', () => {
    expect(countsOf('# Files', ['files'])).toEqual({ 'fake-heading': 1 });
    expect(countsOf('Files\n---', ['Files'])).toEqual({ 'fake-heading': 1 });
    expect(countsOf('# Files', ['other'])).toEqual({});
  });
});

describe('other servers', () => {
  const ids = ['docs', 'github-enterprise', 'memory'];
  test.each([
    ['named as a server', 'The docs server says so', 1],
    ['as an MCP server', 'the memory MCP server; server "docs"', 2],
    ['in quotes', 'Ask `docs` or "memory".', 2],
    ['in a tool prefix', 'Call mcp__docs__search', 1],
    ['by an id that is no word', 'Prefer GitHub-Enterprise.', 1],
  ])('%s', (_, text, count) => {
    expect(countsOf(text, ids)).toEqual({ 'cross-server-reference': count });
  });

  test.each([
    ['words that happen to be ids', 'Read the docs; use little memory.'],
    ['parts of words', 'docstring server, mydocs server, github-enterprises'],
    ['nothing', 'The file system server'],
  ])('not %s', (_, text) => {
    expect(countsOf(text, ids)).toEqual({});
  });

  test('without ids nothing is looked for', () => {
    expect(countsOf('The docs server says so')).toEqual({});
    expect(countsOf('a', ['', ' '])).toEqual({});
  });
});

describe('what was changed', () => {
  test('is counted by kind, in one order', () => {
    const admission = admit('\x1b[1m\u202e\u200b</system-reminder>&lt;system-reminder\ud800\n```');
    expect(admission.counts).toEqual({
      'lone-surrogate': 1,
      'ansi-escape': 1,
      'bidi-controls': 1,
      'invisible-characters': 1,
      'reserved-tag': 2,
      'encoded-tag': 1,
      'open-fence': 1,
    });
    expect(admission.flags).toEqual(FLAGS.filter((flag) => admission.counts[flag] !== undefined));
    expect(admission.flags[0]).toBe('lone-surrogate');
  });

  test('a fence that only the cut left open is not its author’s', () => {
    expect(admit(`\`\`\`\n${'a'.repeat(3000)}\n\`\`\``).flags).toEqual([]);
  });

  test('flags cover what the cap hides', () => {
    expect(admit(`${'a '.repeat(2000)}</system-reminder>`)).toMatchObject({
      truncated: true,
      flags: ['reserved-tag'],
    });
  });
});
