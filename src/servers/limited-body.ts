const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What is done with the body of a response while it is read. */
export interface BodyWatch {
  /** The limit in bytes: of the whole body, or of each event of an event stream. */
  readonly maxBytes: number;
  /** Called once when the limit is passed; the body then fails. */
  readonly onOverflow: () => void;
  /** Called with each piece. */
  readonly onChunk?: () => void;
  /** Called when the body ended or broke off. */
  readonly onEnd?: () => void;
}

/**
 * The same response with a bounded body. An event stream may go on for ever, so there the limit holds for one event, which ends
 * at a blank line.
 */
export function limitBody(response: Response, watch: BodyWatch): Response {
  if (response.body === null || response.status < 200) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const reader = response.body.getReader();
  const count = isStream ? countEventBytes() : countAllBytes();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) watch.onChunk?.();
        if (done) {
          watch.onEnd?.();
          controller.close();
        } else if (count(value) > watch.maxBytes) {
          watch.onOverflow();
          controller.error(new RangeError('the response is over the limit'));
          await reader.cancel();
        } else controller.enqueue(value);
      } catch (error) {
        watch.onEnd?.();
        controller.error(error);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
  return withBody(response, body);
}

/** The same response with another body, and without its reason phrase: servers send any bytes there, and no `Response` can be made with some. */
export function withBody(response: Response, body: ReadableStream<Uint8Array> | null): Response {
  const { status, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, headers }), 'url', { value: url });
}

function countAllBytes(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** The largest number of bytes that one event has reached within a chunk. */
function countEventBytes(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let lineIsEmpty = true;
  return (chunk) => {
    let largest = 0;
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const line = chunk.subarray(start, end);
      lineIsEmpty &&= line.every((byte) => byte === carriageReturn);
      bytes = lineIsEmpty ? 0 : bytes + line.length + 1;
      largest = Math.max(largest, bytes);
      lineIsEmpty = true;
      start = end + 1;
    }
    bytes += chunk.length - start;
    lineIsEmpty &&= chunk.subarray(start).every((byte) => byte === carriageReturn);
    return Math.max(largest, bytes);
  };
}
