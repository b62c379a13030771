import { afterEach, expect, it } from 'vitest';
import { startMessagesEndpoint, type MessagesEndpoint } from '../../src/cli/demo/messages-endpoint.js';
import { examples, runNode } from '../support/run-example.js';

let endpoint: MessagesEndpoint | undefined;

afterEach(() => endpoint?.close());

it('counts exactly with the real client: two count requests for one block, after the first request', async () => {
  endpoint = await startMessagesEndpoint({
    answer: (_body, { path }) => (path === 'messages' ? 'Rotate it.' : undefined),
  });
  const { code, out, errors } = await runNode(examples, ['exact-cost.mjs'], {
    ANTHROPIC_BASE_URL: endpoint.url,
    ANTHROPIC_API_KEY: 'none',
  });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe('first request: rough, exact count pending\nlater: counted\n');
  const paths = endpoint.requests.map(({ path }) => path);
  expect(paths.filter((path) => path === 'count_tokens')).toHaveLength(2);
  const [alone, around] = endpoint.requests.filter(({ path }) => path === 'count_tokens');
  expect(alone!.body.messages[0]!.content).toHaveLength(2);
  expect(around!.body.messages[0]!.content).toHaveLength(3);
});

it('leaves the estimate standing when the endpoint cannot count', async () => {
  endpoint = await startMessagesEndpoint({
    answer: (_body, { path }) => (path === 'messages' ? 'Rotate it.' : { json: { input_tokens: 'many' } }),
  });
  const { code, out, errors } = await runNode(examples, ['exact-cost.mjs'], {
    ANTHROPIC_BASE_URL: endpoint.url,
    ANTHROPIC_API_KEY: 'none',
  });
  expect(code).toBe(0);
  expect(out).toBe('first request: rough, exact count pending\nlater: calibrated\n');
  expect(errors).toContain('"event":"count-failed","reason":"no-number"');
  expect(endpoint.requests.filter(({ path }) => path === 'count_tokens')).toHaveLength(1);
});
