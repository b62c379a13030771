import { idKey } from './message-id.js';

/**
 * Reads the reply to one request out of its response, JSON or an event stream, as the SDK reads the reply to its own. A stream that
 * goes on after it is left at once.
 *
 * @param response its body is bounded by whoever carries it
 * @param id the id of the request
 * @returns the result; `undefined` where there is none
 */
export async function readReply(response: Response, id: unknown): Promise<object | undefined> {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  if (!isStream) return resultOf(await response.text(), id);
  for await (const data of readEvents(response.body)) {
    const result = resultOf(data, id);
    if (result !== undefined) return result;
  }
  return undefined;
}

function resultOf(text: string, id: unknown): object | undefined {
  const value = parse(text);
  for (const message of Array.isArray(value) ? value : [value]) {
    if (typeof message !== 'object' || message === null) continue;
    const result: unknown = Reflect.get(message, 'result');
    if (idKey(Reflect.get(message, 'id')) === idKey(id) && typeof result === 'object' && result !== null)
      return result;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The data of each event. Leaving the loop ends the body. */
async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }
  if (data.length > 0) yield data.join('\n');
}

async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      const wasHalf = rest.at(-1)?.endsWith('\r') ?? false;
      rest.push(text);
      // What holds no end of a line is looked at once, however long the line becomes.
      if (!done && !wasHalf && !/[\r\n]/u.test(text)) continue;
      // A carriage return at the end may be half of a line's end.
      const lines = rest.join('').split(done ? /\r\n|\n|\r/u : /\r\n|\n|\r(?!$)/u);
      rest = done ? [] : lines.splice(-1);
      yield* lines;
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
