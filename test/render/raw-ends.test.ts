import { Parser } from 'commonmark';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import { isCutOf } from '../../src/render/earlier-cut.js';
import { closeRawBlocks } from '../../src/render/raw-ends.js';
import { render } from '../../src/render/render.js';
import { renderSection } from '../../src/render/section.js';

const LINES = `text

# head
- item
10. ten
  - nested
     x
> quote
> <!--
- <pre>
<!--
  <!-- x
-->
<pre>
</pre>
<STYLE>x
<textarea>
<script>
</script>
<div>
</div>
<a b
<?x
?>
<!X
<![CDATA[
]]>
a --> b`.split('\n');

/** The headings of the second level that a reader of CommonMark sees in a block of two servers. */
function headingsSeen(first: string): (string | null | undefined)[] {
  const added = [
    { id: 'alpha', text: admit(first).text },
    { id: 'beta', text: 'plain' },
  ];
  const headings: (string | null | undefined)[] = [];
  const document = new Parser().parse(render({ added }) ?? '');
  for (let node = document.firstChild; node !== null; node = node.next) {
    if (node.type === 'heading' && node.level === 2) headings.push(node.firstChild?.literal);
  }
  return headings;
}

describe('what a text leaves open is closed', () => {
  it.each([
    ['a comment', '<!-- note', '-->'],
    ['preformatted text', 'a\n<pre>\nb', '</pre>'],
    ['a script, in capitals', '<SCRIPT async>\n\nb', '</SCRIPT>'],
    ['a processing instruction', '<?php', '?>'],
    ['character data', '<![CDATA[', ']]>'],
    ['a declaration', '<!DOCTYPE html', '>'],
    ['a comment in which a fence stands', '<!--\n```\na\n```', '-->'],
    ['a comment after a fence in a list item', '- a\n  ```\n<!--\n  ```', '-->'],
    ['two of which one is open', '<!--\n<pre>', '-->\n</pre>'],
  ])('%s', (_, text, closing) => {
    const closed = `${text}\n${closing}`;
    expect(closeRawBlocks(text)).toBe(closed);
    expect(closeRawBlocks(closed)).toBe(closed);
    expect(headingsSeen(text)).toEqual(['alpha', 'beta']);
  });

  it.each([
    ['a comment that ends', '<!-- note -->'],
    ['one of more lines', '<!--\nnote\n--> after'],
    ['a tag, which ends with a blank line', '<note>\na'],
    ['a comment in a fence', '```html\n<!-- note\n```'],
    ['a comment within a line', 'a <!-- note'],
    ['indented code', '    <!-- note'],
    ['no HTML at all', '1 < 2'],
  ])('not: %s', (_, text) => {
    expect(closeRawBlocks(text)).toBe(text);
    expect(headingsSeen(text)).toEqual(['alpha', 'beta']);
  });

  it('a fence in a list item is closed within the item', () => {
    expect(headingsSeen('- item\n  ```\n  code')).toEqual(['alpha', 'beta']);
    expect(headingsSeen('1. item\n\n   ~~~\n   code')).toEqual(['alpha', 'beta']);
  });

  it('whatever HTML a text is made of, the next server is seen', () => {
    const line = fc.constantFrom(...LINES);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
        const text = lines.join('\n');
        fc.pre(admit(text).state === 'admitted');
        expect(headingsSeen(text)).toEqual(['alpha', 'beta']);
        const section = renderSection('alpha', admit(text).text);
        expect(renderSection('alpha', section.slice(section.indexOf('\n') + 1))).toBe(section);
      }),
      { numRuns: 2000 },
    );
  });

  it('a cut inside of what is then closed is known as a cut of the whole', () => {
    const whole = `<!-- ${'words '.repeat(20)}-->\nafter`;
    for (const maxChars of [20, 60, 100]) {
      const cut = admit(whole, { maxChars });
      const section = renderSection('alpha', cut.text);
      expect(section.endsWith('\n-->')).toBe(true);
      expect(isCutOf(section, 'alpha', whole)).toBe(true);
    }
  });
});
