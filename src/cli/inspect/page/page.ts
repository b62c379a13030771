import type { Review } from '../../../injector.js';
import { inert } from '../../inert.js';
import type { InspectedServer, Inspection } from '../inspection.js';
import { markup, Html } from './markup.js';
import { number, serverArticle } from './server-article.js';
import { STYLE } from './style.js';

/**
 * A page to read and compare what every server asks a model to believe. It stands alone: no script, nothing from elsewhere, and a policy
 * that would refuse both.
 *
 * @param inspection what was found
 * @param reviews the texts, by server id
 * @param sha256 SHA-256 in base64, for the policy
 * @returns a whole HTML document
 */
export function renderPage(
  inspection: Inspection,
  reviews: ReadonlyMap<string, Review>,
  sha256: (text: string) => string,
): string {
  const { servers, block, warnings } = inspection;
  const policy = `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'; base-uri 'none'; form-action 'none'`;
  const anchor = (index: number): string => `server-${index + 1}`;
  const most = Math.max(1, ...servers.map(({ tokens }) => tokens));
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>MCP server instructions</title>
        <style>${new Html(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>MCP server instructions</h1>
          <p class="quiet">
            What each server asks a model to believe. Everything below the names is the servers' own word.
          </p>
          <section class="overview" aria-label="Overview">
            <p>${summaryOf(inspection)}</p>
            <ol>
              ${servers.map((server, index) => row(server, anchor(index), most))}
            </ol>
          </section>
          ${warnings.map((warning) => markup`<p class="warn">${inert(warning)}</p>`)}
          ${servers.map((server, index) => serverArticle(server, reviews.get(server.id), anchor(index)))}
          <p class="quiet">Tokens: as Claude 4.7 and later count (${block.method}). Lengths: UTF-16 units.</p>
        </main>
      </body>
    </html>`;
  return page.toString();
}

function summaryOf({ servers, block }: Inspection): string {
  const down = servers.filter(({ state }) => state !== 'connected').length;
  const counted = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}, ${servers.length - down} connected.`;
  if (block.chars === 0) return `${counted} A first turn would carry no block.`;
  return `${counted} A first turn would carry one block of ${number(block.tokens)} tokens.`;
}

function row(server: InspectedServer, anchor: string, most: number): Html {
  const { id, tokens, lostChars, state } = server;
  const said = tokens > 0 ? `${number(tokens)} tokens` : state === 'connected' ? 'nothing' : state;
  const width = ((100 * tokens) / most).toFixed(1);
  return markup`<li>
    <a href="#${anchor}"><bdi>${inert(id)}</bdi></a>
    <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="1" />
      <rect class="fill" width="${width}" height="1" />
    </svg>
    <span class="figure">${said}${lostChars > 0 ? markup` <span class="warn">cut</span>` : undefined}</span>
  </li>`;
}
