/** A response for the host, and a copy of what the host reads of it. */
export interface Watched {
  readonly response: Response;
  readonly copy: Response;
}

/**
 * Lets a streamed answer be read along: as far as the host reads it, and no further. A second reader of its own would keep the API at work when
 * the host stops reading.
 *
 * @param original its body is not to be read any more
 * @returns `undefined` when there is no body that can be watched, and the response is as it was
 */
export function watchResponse(original: Response): Watched | undefined {
  const { body } = original;
  if (!(body instanceof ReadableStream) || body.locked) return undefined;
  const withBody = copier(original);
  if (withBody === undefined) return undefined;
  let along: ReadableStreamDefaultController<Uint8Array> | undefined;
  const copied = new ReadableStream<Uint8Array>({
    start: (controller) => {
      along = controller;
    },
    // Who reads along may stop.
    cancel: () => {
      along = undefined;
    },
  });
  const end = (): void => {
    along?.close();
    along = undefined;
  };
  let taken: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Not before the host reads: the platform ends a connection whose answer nobody wants, as long as nobody took the body. It looks at the
  // original for that, so that one is held on to.
  const take = (): ReadableStreamDefaultReader<Uint8Array> => (taken ??= original.body!.getReader());
  const passed = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await take().read();
          if (done) {
            end();
            controller.close();
            return;
          }
          along?.enqueue(value);
          controller.enqueue(value);
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        end();
        await take().cancel(reason);
      },
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  );
  return { response: withBody(passed), copy: withBody(copied) };
}

/** @returns makes a response that says what the original says, with another body; `undefined` where that cannot be made */
function copier(original: Response): ((body: ReadableStream<Uint8Array>) => Response) | undefined {
  const { status, statusText, headers, url, redirected, type } = original;
  const make = (body: ReadableStream<Uint8Array> | null): Response => {
    const response = new Response(body, { status, headers });
    // The constructor takes none of these, or refuses some that servers send.
    for (const [name, value] of Object.entries({ statusText, url, redirected, type })) {
      Object.defineProperty(response, name, { value, configurable: true });
    }
    return response;
  };
  try {
    make(null);
    return make;
  } catch {
    return undefined;
  }
}
