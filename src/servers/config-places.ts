import { InstructionsError, notExpected } from '../errors.js';
import { JsonSyntaxError, parseJsonWithComments, type RepeatedKey } from './json-with-comments.js';
import { isRecord, kindOf } from '../values.js';

/** The servers of a file, as they stand there. */
export interface ServerEntries {
  /** Where they stand, such as `mcp.servers`. */
  readonly key: string;
  /** By id, in the order of the file. */
  readonly entries: object;
  /** Keys in it that stand twice, by the id of the server; the path is inside of the server. */
  readonly repeated: ReadonlyMap<string, readonly RepeatedKey[]>;
  /** Other places of the file that hold servers, too. */
  readonly unread: readonly string[];
}

/** Where hosts keep servers; the first one that holds any is read. */
const PLACES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
];

/**
 * Finds the servers in the text of a configuration file.
 *
 * @param path of the file, for errors
 * @throws InstructionsError `CONFIG_FILE` when the file as a whole cannot be used
 */
export function findServers(path: string, text: string): ServerEntries {
  const { value: root, repeated } = parse(path, text);
  if (!isRecord(root)) throw expectedObject(path, 'the file', root);
  const found = PLACES.flatMap((place) => {
    const value = valueAt(root, place);
    if (value === undefined) return [];
    const key = place.join('.');
    if (!isRecord(value)) return [{ place, key, value, count: -1 }];
    return [{ place, key, value, count: Object.keys(value).length }];
  });
  const chosen = found.find(({ count }) => count !== 0) ?? found[0];
  if (chosen === undefined)
    throw new InstructionsError(
      'CONFIG_FILE',
      `${path}: expected \`mcpServers\` or \`servers\`, found neither`,
    );
  const { place, key, value } = chosen;
  if (!isRecord(value)) throw expectedObject(path, `\`${key}\``, value);
  const inside = new Map<string, RepeatedKey[]>();
  for (const { path: keys, line } of repeated) {
    if (place.slice(0, keys.length).join('\n') === keys.join('\n'))
      throw new InstructionsError(
        'CONFIG_FILE',
        `${path}: \`${keys.join('.')}\`: expected once, found again in line ${line}`,
      );
    const [id, ...rest] = keys.slice(place.length);
    if (id === undefined || keys.slice(0, place.length).join('\n') !== place.join('\n')) continue;
    inside.set(id, [...(inside.get(id) ?? []), { path: rest, line }]);
  }
  const unread = found.filter((other) => other !== chosen && other.count > 0).map((other) => other.key);
  return { key, entries: value, repeated: inside, unread };
}

function parse(path: string, text: string): ReturnType<typeof parseJsonWithComments> {
  try {
    return parseJsonWithComments(text);
  } catch (error) {
    const line = error instanceof JsonSyntaxError ? `, line ${error.line}` : '';
    throw new InstructionsError('CONFIG_FILE', `${path}${line}: expected JSON`);
  }
}

function valueAt(root: object, place: readonly string[]): unknown {
  let value: unknown = root;
  for (const name of place)
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
  return value;
}

function expectedObject(path: string, what: string, value: unknown): InstructionsError {
  return notExpected('CONFIG_FILE', `${path}: ${what}`, 'an object', kindOf(value));
}
