/** The colours of one scheme. */
export interface Palette {
  /** Behind everything. */
  readonly page: string;
  /** Behind a server and in tables. */
  readonly card: string;
  /** Behind a server's text. */
  readonly paper: string;
  readonly text: string;
  readonly quiet: string;
  readonly link: string;
  readonly line: string;
  readonly bar: string;
  readonly good: string;
  readonly bad: string;
  /** What stands out: cut, flagged. */
  readonly warn: string;
  /** Behind the part that is hidden from a model. */
  readonly cut: string;
  readonly cutText: string;
  /** Escapes. */
  readonly odd: string;
  readonly oddText: string;
}

export const LIGHT: Palette = {
  page: '#f4f5f7',
  card: '#ffffff',
  paper: '#fafafa',
  text: '#1c2024',
  quiet: '#545b64',
  link: '#0b57b0',
  line: '#d5d9df',
  bar: '#2f6fbd',
  good: '#1a6b34',
  bad: '#b3261e',
  warn: '#835300',
  cut: '#fdf0d5',
  cutText: '#5e3c00',
  odd: '#fbdcd9',
  oddText: '#8c1d16',
};

export const DARK: Palette = {
  page: '#14171a',
  card: '#1d2125',
  paper: '#16191c',
  text: '#e4e7ea',
  quiet: '#a9b1ba',
  link: '#7db4f5',
  line: '#3a4148',
  bar: '#5b9be6',
  good: '#76c98f',
  bad: '#f39a92',
  warn: '#e6b455',
  cut: '#382c12',
  cutText: '#f0cf8d',
  odd: '#4a1f1c',
  oddText: '#ffb9b2',
};

/** Text and what it stands on, everywhere on the page. */
export const PAIRS: readonly (readonly [text: keyof Palette, ground: keyof Palette])[] = [
  ['text', 'page'],
  ['quiet', 'page'],
  ['link', 'page'],
  ['warn', 'page'],
  ['text', 'card'],
  ['quiet', 'card'],
  ['link', 'card'],
  ['good', 'card'],
  ['bad', 'card'],
  ['warn', 'card'],
  ['text', 'paper'],
  ['cutText', 'cut'],
  ['oddText', 'odd'],
];

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}

/** The one style sheet of the page. */
export const STYLE: string = `
:root{${variables(LIGHT)};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:76rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:0;unicode-bidi:isolate}
h3{font-size:.95rem;margin:0 0 .35rem}
p{margin:.25rem 0}
a{color:var(--link)}
.quiet{color:var(--quiet)}
.good{color:var(--good)}
.bad{color:var(--bad)}
.warn{color:var(--warn)}
.overview,article{background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin-top:1.25rem;padding:1rem}
.overview ol{list-style:none;margin:0;padding:0}
.overview li{display:grid;grid-template-columns:minmax(7rem,16rem) 1fr 10rem;gap:.25rem 1rem;align-items:center;padding:.4rem 0;border-top:1px solid var(--line)}
.overview li:first-child{border-top:0}
.overview bdi{font-weight:600}
.bar{display:block;width:100%;height:.8rem;border-radius:.2rem}
.track{fill:var(--line)}
.fill{fill:var(--bar)}
.figure{font-variant-numeric:tabular-nums;text-align:right}
header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.75rem 0 1rem}
dt{color:var(--quiet)}
dd{margin:0;min-width:0}
code{font:.9em/1.4 ui-monospace,monospace}
.texts{display:grid;gap:1rem}
pre{margin:0;padding:.75rem;background:var(--paper);border:1px solid var(--line);border-radius:.3rem;font:.875rem/1.55 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;overflow:auto;max-height:36rem;contain:content;unicode-bidi:plaintext;tab-size:4}
.part{display:block;unicode-bidi:plaintext;content-visibility:auto;contain-intrinsic-block-size:auto 30rem}
.odd{background:var(--odd);color:var(--oddText);font-weight:600;border-radius:.2rem;padding:0 .15em}
.cut{display:block;background:var(--cut);color:var(--cutText);border-left:.25rem solid currentColor;padding-left:.5rem}
.cut strong,.left-out{display:block;font:600 .8rem/1.6 system-ui,sans-serif}
.left-out{background:var(--odd);color:var(--oddText);padding:0 .5rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (min-width:60rem){.pair{grid-template-columns:1fr 1fr}.texts>section{min-width:0}}
@media (max-width:34rem){.overview li{grid-template-columns:1fr auto}.overview .bar{grid-column:1/-1;grid-row:2}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
@media print{pre{max-height:none}.part{content-visibility:visible}}
`;
