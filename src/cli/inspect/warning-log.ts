import { showText } from '../../instructions/show-text.js';
import type { LoggerLike } from '../../observe/logger.js';
import { inert } from '../inert.js';
import type { Terminal } from '../terminal.js';

/** Events that say what the state of a server says too, or what the figures do. */
const SHOWN_ELSEWHERE: ReadonlySet<unknown> = new Set([
  'server-failed',
  'server-lost',
  'server-needs-auth',
  'server-crash-looping',
  'instructions-truncated',
]);

/** Fields that the figures of the server show too. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['event', 'server', 'sha256', 'chars']);

/** Prints what belongs to no server, such as a variable whose value is not accepted, beside what a command prints. */
export function noteWarnings(warnings: WarningLog, terminal: Terminal): void {
  for (const warning of warnings.of()) terminal.note(inert(warning));
}

/** Keeps what the library warns of, to show it beside the server it is about. */
export class WarningLog implements LoggerLike {
  readonly #warnings: { readonly server: unknown; readonly text: string }[] = [];

  readonly debug = (): void => {};
  readonly info = (): void => {};
  readonly warn = (fields: Record<string, unknown>, message = ''): void => this.#keep(fields, message);
  readonly error = (fields: Record<string, unknown>, message = ''): void => this.#keep(fields, message);

  /** @param id a server's id; without one, what belongs to no server */
  of(id?: string): readonly string[] {
    // Ids are logged in a printable form.
    const server = id === undefined ? undefined : showText(id);
    return this.#warnings.filter((warning) => warning.server === server).map((warning) => warning.text);
  }

  #keep(fields: Record<string, unknown>, message: string): void {
    const { event, server } = fields;
    if (SHOWN_ELSEWHERE.has(event)) return;
    const details = Object.entries(fields).filter(([name]) => !KNOWN_FIELDS.has(name));
    const listed = details.map(([name, value]) => `${name} ${String(value)}`).join(', ');
    this.#warnings.push({ server, text: listed === '' ? message : `${message} (${listed})` });
  }
}
