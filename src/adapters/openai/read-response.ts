import type { Outcome } from '../../injector/prepared.js';
import { isObject } from '../../values.js';

type Answer = NonNullable<Outcome['message']> & { readonly usage?: unknown };

/** The events that hold the response, the last two with all of its output. */
const EVENTS: readonly string[] = ['response.created', 'response.completed', 'response.incomplete'];

function asAnswer(value: unknown): Answer | undefined {
  return isObject(value) && typeof value['id'] === 'string' ? { ...value, id: value['id'] } : undefined;
}

/** The event in one line of a stream; `undefined` when it is of no interest. */
function eventIn(line: string): Record<string, unknown> | undefined {
  // Most lines are words of the answer: they are not parsed.
  if (!line.startsWith('data:') || !EVENTS.some((type) => line.includes(`"${type}"`))) return undefined;
  const event: unknown = JSON.parse(line.slice('data:'.length));
  return isObject(event) && EVENTS.includes(String(event['type'])) ? event : undefined;
}

/**
 * Reads a response of the Responses API, streamed or whole.
 *
 * @param response read to its end
 * @param onId called with the response's id as soon as it is known
 * @returns `undefined` when it is not a whole answer
 */
export async function readResponse(
  response: Response,
  onId: (id: string | undefined) => void,
): Promise<Answer | undefined> {
  if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
    return asAnswer(await response.json());
  }
  let whole: Answer | undefined;
  const take = (line: string): void => {
    const event = eventIn(line);
    if (event === undefined) return;
    const answer = asAnswer(event['response']);
    onId(answer?.id);
    if (event['type'] !== 'response.created') whole = answer;
  };
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  take(rest);
  return whole;
}
