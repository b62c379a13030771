import { type Clock, unref } from './clock.js';
import { withBody } from './limited-body.js';

/** How much of an error's body is read, in bytes. */
const maxErrorBytes = 64 * 1024;
/** How long an error's body may take, in ms: its status says what counts. */
const maxErrorMs = 2_000;

/** The same response with a body that ends, however much there is of it and however long it takes. */
export function cutErrorBody(response: Response, clock: Clock): Response {
  if (response.body === null || response.status < 200) return response;
  const reader = response.body.getReader();
  let left = maxErrorBytes;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    clock.clearTimeout(timer);
    void reader.cancel().catch(() => {});
  };
  let finish = end;
  const timer = clock.setTimeout(() => finish(), maxErrorMs);
  unref(timer);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      finish = () => {
        if (isOver) return;
        end();
        controller.close();
      };
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (value !== undefined) controller.enqueue(value.subarray(0, left));
        left -= value?.length ?? 0;
        if (done || left <= 0) finish();
      } catch (error) {
        if (isOver) return;
        end();
        controller.error(error);
      }
    },
    cancel: end,
  });
  return withBody(response, body);
}
