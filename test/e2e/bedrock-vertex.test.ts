import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withInstructions } from '../../src/adapters/anthropic.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';
import { isSignedBy, type SignedRequest } from '../support/sigv4.js';

type Messages = Parameters<typeof readRequest>[0];

/** A model behind whatever path a platform has; the first call of it is refused. */
async function startPlatform(): Promise<{ url: string; requests: SignedRequest[] }> {
  const requests: SignedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      requests.push({ method: request.method!, target: request.url!, headers: request.headers, body });
      const isBusy = requests.length === 1;
      response.writeHead(isBusy ? 529 : 200, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      const usage = { input_tokens: 1, output_tokens: 1 };
      const content = [{ type: 'text', text: 'ok' }];
      response.end(
        JSON.stringify(
          isBusy
            ? { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
            : {
                id: `msg_${requests.length}`,
                type: 'message',
                role: 'assistant',
                model: MODEL,
                content,
                usage,
              },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

const messagesOf = ({ body }: SignedRequest): Messages =>
  (JSON.parse(body) as { messages: Messages }).messages;

async function twoTurns(
  host: TestHost,
  client: Pick<AnthropicBedrock | AnthropicVertex, 'messages'>,
  requests: readonly SignedRequest[],
): Promise<void> {
  host.injector.adopt('docs', { instructions: 'Docs text.' });
  const ask = { role: 'user' as const, content: 'hello' };
  const params = { model: MODEL, max_tokens: 64, messages: [ask] };
  expect((await client.messages.create(params)).content).toMatchObject([{ text: 'ok' }]);
  host.injector.adopt('late', { instructions: 'Late text.' });
  const answer = { role: 'assistant' as const, content: 'ok' };
  await client.messages.create({ ...params, messages: [ask, answer, { role: 'user', content: 'next' }] });

  expect(requests).toHaveLength(3);
  const [refused, first, second] = requests as [SignedRequest, SignedRequest, SignedRequest];
  expect(first.body).toBe(refused.body);
  expect(prefixBreak(messagesOf(first), messagesOf(second))).toBe(-1);
  expect(Object.fromEntries(readRequest(messagesOf(first)).inForce)).toEqual({ docs: 'Docs text.' });
  expect(Object.fromEntries(readRequest(messagesOf(second)).inForce)).toEqual({
    docs: 'Docs text.',
    late: 'Late text.',
  });
  expect(host.reports.map((report) => report.reason)).toEqual(['placed', 'placed']);
}

describe('clients of other platforms', () => {
  it('Bedrock signs and sends the changed body', async () => {
    const { url, requests } = await startPlatform();
    const host = await startHost();
    const secret = 'not-a-secret';
    const bedrock = new AnthropicBedrock({
      baseURL: url,
      awsRegion: 'us-east-1',
      awsAccessKey: 'TESTKEY',
      awsSecretKey: secret,
      apiKey: null,
    });
    await twoTurns(host, withInstructions(bedrock, host.conversation), requests);
    for (const request of requests) {
      expect(request.target).toBe(`/model/${MODEL}/invoke`);
      expect(isSignedBy(secret, request)).toBe(true);
      expect(isSignedBy(secret, { ...request, body: `${request.body} ` })).toBe(false);
    }
  });

  it('Vertex sends the changed body with its credentials', async () => {
    const { url, requests } = await startPlatform();
    const host = await startHost();
    const authClient = {
      projectId: 'test-project',
      getRequestHeaders: async () => new Headers({ authorization: 'Bearer not-a-token' }),
    };
    const vertex = new AnthropicVertex({
      baseURL: url,
      region: 'us-east5',
      projectId: 'test-project',
      authClient: authClient as never,
    });
    await twoTurns(host, withInstructions(vertex, host.conversation), requests);
    for (const { target, headers } of requests) {
      expect(target).toContain(
        `/projects/test-project/locations/us-east5/publishers/anthropic/models/${MODEL}:`,
      );
      expect(headers['authorization']).toBe('Bearer not-a-token');
    }
  });
});
