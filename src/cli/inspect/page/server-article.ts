import type { Review } from '../../../injector.js';
import { graphemeBorder } from '../../../instructions/graphemes.js';
import { asTold } from '../../as-told.js';
import { inert } from '../../inert.js';
import type { InspectedServer, OtherHandshake } from '../inspection.js';
import { markup, type Html, type HtmlValue } from './markup.js';
import { visibleText } from './visible-text.js';

const HANDSHAKES = { modern: 'server/discover', legacy: 'initialize' } as const;

/** Of one text, in UTF-16 units: with escapes it becomes many times as long, and nobody reads more. */
const MAX_SHOWN_CHARS = 131_072;

const NOTHING = markup`<span class="quiet">Nothing.</span>`;

const OUTCOMES: Readonly<Record<string, string>> = {
  told: 'shown to a model',
  absent: 'no instructions',
  blank: 'nothing that a reader would see',
  invalid: 'not a string',
  oversized: 'over the size limit: not shown',
  withheld: 'withheld until it is approved',
  off: 'not shown to a model',
  pending: 'not known yet',
};

/**
 * One server of the page.
 *
 * @param server what was found
 * @param review its text; `undefined` when there is no connection
 * @param anchor the id of the element
 */
export function serverArticle(server: InspectedServer, review: Review | undefined, anchor: string): Html {
  const isUp = server.state === 'connected';
  return markup`<article id="${anchor}">
    <header>
      <h2>${inert(server.id)}</h2>
      <span class="${isUp ? 'good' : 'bad'}">${server.state}</span>
      <span class="quiet">${outcomeOf(server, review)}</span>
    </header>
    <dl>
      ${facts(server, review).map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}
    </dl>
    ${review === undefined ? undefined : texts(review)}
  </article>`;
}

function outcomeOf(server: InspectedServer, review: Review | undefined): string {
  const outcome = OUTCOMES[server.outcome] ?? server.outcome;
  return review?.mode === 'user-only' ? `${outcome} (user-only)` : outcome;
}

function facts(server: InspectedServer, review: Review | undefined): [string, HtmlValue][] {
  const { serverInfo, reason, era, protocolVersion, source, sha256, flags, warnings, other } = server;
  const rows: [string, HtmlValue][] = [];
  if (serverInfo !== null) {
    rows.push([
      'calls itself',
      markup`<bdi>${inert(`${serverInfo.name} ${serverInfo.version}`.trim())}</bdi>`,
    ]);
  }
  if (reason !== null) rows.push(['reason', markup`<span class="bad">${inert(reason.message)}</span>`]);
  if (era !== null) rows.push(['connection', inert(`${server.transport}, ${era}, ${protocolVersion ?? ''}`)]);
  if (source !== null)
    rows.push(['source', source === 'override' ? "the configuration's own text" : inert(source)]);
  if (server.chars > 0) rows.push(['length', lengthOf(server, review)]);
  const replaced = review?.replaced?.text;
  if (replaced !== undefined) rows.push(["server's text", `${number(replaced.length)} characters, replaced`]);
  if (server.tokens > 0) rows.push(['cost', `${number(server.tokens)} tokens`]);
  if (sha256 !== null) {
    rows.push([
      review?.replaced === undefined ? 'sha256' : "sha256 of the server's text",
      markup`<code>${sha256}</code>`,
    ]);
  }
  if (flags.length > 0) rows.push(['flags', markup`<span class="warn">${flagsOf(flags, review)}</span>`]);
  for (const warning of warnings) rows.push(['warning', markup`<span class="warn">${inert(warning)}</span>`]);
  if (other !== undefined) rows.push(['other handshake', otherOf(other)]);
  return rows;
}

function lengthOf({ chars, keptChars, lostChars }: InspectedServer, review: Review | undefined): HtmlValue {
  if (review !== undefined && review.mode !== 'full') return `${number(chars)} characters received`;
  const whose = review?.replaced === undefined ? 'received' : "of the configuration's own text";
  const kept = `${number(chars)} characters ${whose}, ${number(keptChars)} kept`;
  if (lostChars === 0) return kept;
  return markup`${kept}, <span class="warn">${number(lostChars)} cut (${review?.limit ?? 'limit'})</span>`;
}

function flagsOf(flags: readonly string[], review: Review | undefined): string {
  const counts = new Map<string, number>(Object.entries(review?.counts ?? {}));
  return flags
    .map((flag) => {
      const count = counts.get(flag) ?? 1;
      return inert(count === 1 ? flag : `${flag} (${number(count)})`);
    })
    .join(', ');
}

function otherOf(other: OtherHandshake): HtmlValue {
  const name = HANDSHAKES[other.era];
  if (!other.connected) return `${name}: no connection`;
  if (!other.differs) return `${name}: the same`;
  const text = other.chars === 0 ? 'no text' : `${number(other.chars)} characters`;
  return markup`<span class="warn">${name}: ANOTHER TEXT: ${text}, sha256 <code>${other.sha256 ?? 'none'}</code></span>`;
}

function texts(review: Review): Html | undefined {
  const { text = '', mode, replaced } = review;
  if (mode !== 'full') {
    if (text === '') return undefined;
    return boxes([section(`As received. A model is shown nothing of it (${mode})`, bounded(text))]);
  }
  const told = asTold(review);
  const asShown = section('As a model would be shown it', told === '' ? NOTHING : bounded(told));
  const whose = replaced === undefined ? 'As received' : "The configuration's own text";
  const sections =
    text === ''
      ? []
      : text === told
        ? [section(`${whose}, and as a model would be shown it`, bounded(text))]
        : [section(whose, receivedOf(text, review)), asShown];
  if (replaced === undefined) return sections.length === 0 ? undefined : boxes(sections);
  const sent = replaced.text === undefined || replaced.text === '' ? NOTHING : bounded(replaced.text);
  return markup`${sections.length === 0 ? undefined : boxes(sections)}
    ${boxes([section('What the server sent: replaced, and shown to no model', sent)])}`;
}

/** Side by side, where there are two and room for them. */
function boxes(sections: readonly Html[]): Html {
  return markup`<div class="${sections.length > 1 ? 'texts pair' : 'texts'}">${sections}</div>`;
}

function receivedOf(text: string, { hiddenFrom }: Review): HtmlValue {
  if (hiddenFrom === null || hiddenFrom === text.length) return bounded(text);
  const hidden = text.slice(hiddenFrom);
  const cut = markup`<span class="cut"><strong>Hidden from a model from here on: ${number(hidden.length)} characters</strong>${bounded(hidden)}</span>`;
  return [bounded(text.slice(0, hiddenFrom)), cut];
}

/** The start of a text, and how much of it is not here. */
function bounded(text: string): HtmlValue {
  if (text.length <= MAX_SHOWN_CHARS) return visibleText(text);
  const end = graphemeBorder(text, MAX_SHOWN_CHARS);
  return markup`${visibleText(text.slice(0, end))}<strong class="left-out">Left out of this page: ${number(text.length - end)} more characters</strong>`;
}

/** A newline right after `<pre>` is dropped by every reader of HTML, so that one more keeps the text's own. */
function section(title: string, text: HtmlValue): Html {
  return markup`<section><h3>${title}</h3><pre tabindex="0">\n${text}</pre></section>`;
}

/** Digits in groups, the same in every locale. */
export function number(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
