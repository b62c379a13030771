import { describe, expect, it } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import { CodeLines } from '../../src/instructions/code-lines.js';

/** The lines that count as code. */
function codeIn(text: string): string[] {
  const code = new CodeLines();
  return text.split('\n').filter((line) => code.next(line));
}

/** Whether the line `## x` counts as code. */
const hides = (text: string): boolean => codeIn(text).includes('## x');

describe('what certainly is code', () => {
  it.each([
    ['a fence at the margin', '```\n## x\n```'],
    ['one of tildes', '~~~ sh\n## x\n~~~'],
    ['one that is still open', 'a\n\n```\n## x'],
    ['a fence that ends a list item', '- a\n```\n## x\n```'],
    ['a fence that ends an item which holds one', '- a\n  ```\n  b\n  ```\n```\n## x\n```'],
    ['a fence that ends a quote', '> a\n```\n## x\n```'],
    ['after a fence in a list item', '1. a\n   ~~~\n   b\n\n   c\n   ~~~\n\nd\n\n```\n## x\n```'],
    ['after a fence with a tab in a list item', '- a\n  ```\n\tb\n  ```\n\n```\n## x\n```'],
    ['after a comment', '<!-- a -->\n```\n## x\n```'],
    ['after a comment of more lines', '<!--\na\n-->\n```\n## x\n```'],
    ['after a block of HTML', '<pre>\na\n\nb\n</pre>\n\n```\n## x\n```'],
    ['after a tag and a blank line', '<note>\na\n</note>\n\n```\n## x\n```'],
    ['after a fence in a tag', '<note>\n```\na\n```\n</note>\n\n```\n## x\n```'],
    ['after a fence in a comment', '<!--\n```\na\n```\n-->\n```\n## x\n```'],
    ['a less-than sign', '<10 users\n<@me\n```\n## x\n```'],
    ['HTML in a fence', '```\n<!--\n```\n```\n## x\n```'],
  ])('%s', (_, text) => {
    expect(hides(text)).toBe(true);
  });

  it.each([
    ['no fence', '## x'],
    ['after a fence', '```\na\n```\n## x'],
    ['a fence in a list item', '- a\n  ```\n## x'],
    ['one in a numbered item', '1. a\n   ~~~\n## x'],
    ['one space', ' ```\n## x\n ```'],
    ['a comment around a fence line', '<!--\n```\n-->\n## x'],
    ['preformatted text', '<pre>\n```\n</pre>\n## x'],
    ['a script, in capitals', '<SCRIPT async>\n\n```\n</Script>\n## x'],
    ['a style', '<style\n~~~\n</style>\n## x'],
    ['a text area', '<textarea>\n```\n</textarea>\n## x'],
    ['a processing instruction', '<?php\n```\n?>\n## x'],
    ['a declaration', '<!DOCTYPE\n```\n>\n## x'],
    ['character data', '<![CDATA[\n```\n]]>\n## x'],
    ['a tag that ends with a blank line', '<div>\n```\n\n## x'],
    ['a closing tag', '</div>\n```\n\n## x'],
    ['the end of what did not start', '</pre>\n```\n\n## x'],
    ['an indented comment', '   <!--\n```\n-->\n## x'],
    ['a comment in a tag', '<a b\n<!--\n\n```\n-->\n## x'],
    ['a comment that ends on a fence line', '<!--\n``` -->\n## x'],
    ['the second of two that are told apart otherwise', '- a\n  ```\nb\n```\n```\n## x'],
    ['a fence that closes what one reader left', '- a\n  ```\n```\n```\n## x'],
    ['the second after a comment', '<!--\n```\n-->\n```\n```\n## x'],
    ['the second after a tag', '<div>\n```\n\n```\n```\n## x'],
  ])('not: %s', (_, text) => {
    expect(hides(text)).toBe(false);
  });
});

describe('the flag for fake headings', () => {
  it.each([
    '- a\n  ```\n## github',
    '<!--\n```\n-->\n## github',
    '<pre>\n```\n</pre>\n# MCP Server Instructions',
  ])('is raised for one that only seems to be in a fence: %j', (text) => {
    expect(admit(text).flags).toContain('fake-heading');
  });

  it('is not raised for code', () => {
    expect(admit('- a\n```\n## github\n```').flags).toEqual([]);
  });
});
