/** Text that is HTML already. Made by {@link markup} only, so that nothing else reaches a page without being escaped. */
export class Html {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

/** What a template can hold: texts and numbers are escaped. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template of HTML: what is written in it is HTML, what is put into it is text, in elements and in quoted attributes. */
export function markup(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let source = parts[0] ?? '';
  values.forEach((value, index) => {
    source += sourceOf(value) + (parts[index + 1] ?? '');
  });
  return new Html(source);
}

function sourceOf(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (value === undefined) return '';
  if (typeof value === 'object') return value.map(sourceOf).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
