// What one host was measured to add to a request for a server's instructions, heading and wrapper included, and what is
// estimated for texts made the same way: a few plain sentences over and over, with a marker every 250 characters.
import { render } from '../dist/render/render.js';

const english = [
  'Use find_part when the user gives the number of a part or asks how many are left. ',
  'Use show_bins to see which bins hold a part. ',
  'A part number starts with two letters and ends with four digits. ',
  'Always look into the bin before you promise a date. ',
];
const japanese = [
  '部品の番号が示されたときや在庫の数を聞かれたときは、最初に find_part を使ってください。',
  'どの棚に部品があるかを調べるには、棚の一覧を示す show_bins を使います。',
  '部品の番号は英字二文字で始まり、数字四桁で終わります。',
  '納期を約束する前に、棚の中身を必ず確認してください。',
];

/** Published for Opus 5.5: the text's length, the cap, and the tokens it added. */
const published = [
  {
    what: 'English, 1,000 characters, one sentence',
    sentences: english.slice(0, 1),
    chars: 1_000,
    maxChars: 2_048,
    tokens: 377,
  },
  {
    what: 'English, 1,000 characters, four sentences',
    sentences: english,
    chars: 1_000,
    maxChars: 2_048,
    tokens: 377,
  },
  {
    what: 'English, cut at 2,048, one sentence',
    sentences: english.slice(0, 1),
    chars: 5_000,
    maxChars: 2_048,
    tokens: 721,
  },
  {
    what: 'English, cut at 2,048, four sentences',
    sentences: english,
    chars: 5_000,
    maxChars: 2_048,
    tokens: 721,
  },
  {
    what: 'English, 20,000 characters, one sentence',
    sentences: english.slice(0, 1),
    chars: 20_000,
    maxChars: 25_000,
    tokens: 6_578,
  },
  {
    what: 'English, 20,000 characters, four sentences',
    sentences: english,
    chars: 20_000,
    maxChars: 25_000,
    tokens: 6_578,
  },
  {
    what: 'Japanese, cut at 2,048, four sentences',
    sentences: japanese,
    chars: 3_000,
    maxChars: 2_048,
    tokens: 1_727,
  },
];

/** The texts as blocks, beside the published figures. */
export function publishedPoints() {
  return published.map(({ what, sentences, chars, maxChars, tokens }) => {
    const text = fill(sentences, chars);
    const cut = text.length > maxChars ? `${text.slice(0, maxChars)}… [truncated]` : text;
    const bytes = Buffer.byteLength(text) / text.length;
    return { what, tokens, bytes, block: render({ added: [{ id: 'lab', text: cut }] }) };
  });
}

function fill(sentences, chars) {
  const end = ' END codeword: SISKIN-7046.';
  let text = 'BEGIN codeword: PLOVER-1593. ';
  let marker = 250;
  for (let i = 0; text.length < chars - end.length; i++) {
    if (text.length >= marker) {
      text += `[at ${text.length}] `;
      marker += 250;
    }
    text += sentences[i % sentences.length];
  }
  return text.slice(0, chars - end.length) + end;
}
