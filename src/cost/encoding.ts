/** What counting needs of an encoding. */
export interface Encoding {
  /** Cuts a text into pieces; tokens never reach across pieces. Source of a regular expression for the flag `u`. */
  readonly pattern: string;
  /** `! 0 TOKEN TOKEN ...`: each token in base64, in the order of their ranks. */
  readonly packedRanks: Uint8Array;
}

const moduleName = 'js-tiktoken/ranks/o200k_base';
const headBytes = 4_096;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Brings the `o200k_base` encoding: on Node by reading the module's file, since compiling its one string of 2.3 MB
 * stops the event loop for up to 50 ms; elsewhere, or if the file is not as expected, by importing it.
 *
 * @returns the encoding
 * @throws whatever the import throws when the module is not there
 */
export async function loadEncoding(): Promise<Encoding> {
  return (await readEncoding()) ?? (await importEncoding());
}

/** Brings the encoding by a dynamic import, on any runtime. */
export async function importEncoding(): Promise<Encoding> {
  const { default: encoding } = await import('js-tiktoken/ranks/o200k_base');
  return { pattern: encoding.pat_str, packedRanks: new TextEncoder().encode(encoding.bpe_ranks) };
}

/**
 * Brings the encoding by reading the module's file.
 *
 * @param resolve finds the module's address
 * @returns the encoding; `undefined` on a runtime without files, and when there is no such file or it looks different
 */
export async function readEncoding(
  resolve: (name: string) => string = (name) => import.meta.resolve(name),
): Promise<Encoding | undefined> {
  try {
    const bytes = await globalThis.process
      .getBuiltinModule('fs')
      .promises.readFile(new URL(resolve(moduleName)));
    return parseModule(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Takes the encoding out of the module's source, without making a string of the ranks.
 *
 * @param source `export default {"pat_str":"...",...,"bpe_ranks":"..."}`
 * @returns the encoding; `undefined` when the source looks different
 */
export function parseModule(source: Uint8Array): Encoding | undefined {
  const head = String.fromCharCode(...source.subarray(0, headBytes));
  const pattern = /"pat_str":("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  const ranks = /"bpe_ranks":"(?=! 0 )/.exec(head);
  if (pattern === undefined || ranks === null) return undefined;
  const start = ranks.index + ranks[0].length;
  const packedRanks = source.subarray(start, source.indexOf(quote, start));
  if (packedRanks.includes(backslash)) return undefined;
  return { pattern: String(JSON.parse(pattern)), packedRanks };
}
