/**
 * Letters of other scripts, small capitals and symbols that print like a Latin letter, by that letter. Only what no compatibility
 * decomposition covers: styled, accented, circled and full-width forms are not listed.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'ɑαаꭺᴀ⍺ᎪᗅꓮⲀ',
  b: 'ьвʙᏏᖯꓐⲂ',
  c: 'сϲᴄⲥꮯᏟꓚ𐐽',
  d: 'ԁɗđᴅᎠꓓᏧɖꭰ',
  e: 'еҽєεᴇꬲᎬⴹ⋿ꮛəɛҿ€ꓰꭼ℮',
  f: 'ꞙƒẝϝꓝք',
  g: 'ɡᶃցɢᏀꓖԍ',
  h: 'һհнʜᎻᕼꓧⲎΗ',
  i: 'іıɪιӏꙇɩᎥ⍳ꓲⲒⵏוןا∣ǀꭵɨᛁꞁ',
  j: 'јϳᴊꓙᎫյ',
  k: 'κкᴋᏦⲔꓗқ',
  l: 'ɫłʟᏞꓡᒪ',
  m: 'мᴍμϻɱᎷⲘꓟꮇᗰ𐌑',
  n: 'ոռпηɴꞑΝⲚꓠᴎиŋɲҋ',
  o: 'оοօᴏσⲟ𐐬○〇০੦૦௦౦೦๐໐၀هסøɵөꓳⵔᴑ◯◦',
  p: 'рρᴘⲣᏢ⍴ꓑþᑭꮲ',
  q: 'ԛգզ',
  r: 'гᴦⲅꭇꭈʀꮁᎡᏒꓣяɾɼɽ',
  s: 'ѕꜱƽꮪᏚꓢ𐑈ςʂՏᏕ§ꙅ',
  t: 'тτᴛᎢ⊤⟙ꓔⲦ†ŧƭ𐌕ꭲ',
  u: 'սυᴜʋꭎꭒꞟ∪⋃ʊᑌꓴ',
  v: 'ѵνᴠ∨⋁טꮩᏙꓦⴸ',
  w: 'ѡԝաωшꮃᎳꓪɯᴡ',
  x: 'х×χᕁᕽⅹⲬꓫ⤫⤬⨯',
  y: 'уүʏγყỿΥꭚᎩⲨꓬᎽɏ',
  z: 'ᴢᏃꓜʐꮓⲌ',
};

function table(): Map<string, string> {
  const letters = new Map<string, string>();
  const listed = Object.entries(LOOK_ALIKES).flatMap(([letter, alikes]) =>
    Array.from(alikes, (alike) => [alike, letter] as const),
  );
  for (const [alike, letter] of listed) letters.set(alike, letter);
  // The other case of one that is listed, unless that one prints like another letter and is listed itself.
  for (const [alike, letter] of listed) {
    const lower = alike.toLowerCase();
    if (!letters.has(lower)) letters.set(lower, letter);
  }
  // Letters in squares and circles, and those that make up flags, have no decomposition.
  for (const first of [0x1f150, 0x1f170, 0x1f1e6]) {
    for (let index = 0; index < 26; index += 1) {
      letters.set(String.fromCodePoint(first + index), String.fromCharCode(0x61 + index));
    }
  }
  return letters;
}

const letters: ReadonlyMap<string, string> = table();

/**
 * @param character one character, decomposed (NFKD)
 * @returns the lower-case Latin letter it prints like, or the character in lower case
 */
export function latinLookAlike(character: string): string {
  const lower = character.toLowerCase();
  return letters.get(character) ?? letters.get(lower) ?? lower;
}
