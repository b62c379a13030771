import { describe, expect, test } from 'vitest';

import { instructionsMiddleware } from '../../src/adapters/ai-sdk.js';
import { blocksIn, startAdapterHost, tells } from './support/adapter-host.js';

interface Part {
  type: string;
  text?: string;
  data?: string;
}
interface Message {
  role: string;
  content: Part[];
  providerOptions?: object;
}

const prompt = (): Message[] => [
  { role: 'user', content: [{ type: 'text', text: 'describe' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'what?' }] },
  { role: 'user', content: [{ type: 'text', text: 'this' }] },
];

/** Calls a model twice with one prompt, as a host does that calls it itself; the first attempt fails. */
async function callTwice(
  edit: (prompt: Message[]) => void,
): Promise<{ readonly first: readonly Message[]; readonly second: readonly Message[] }> {
  const { conversation, injector } = startAdapterHost();
  injector.adopt('docs', { instructions: 'Docs.' });
  const middleware = instructionsMiddleware(conversation);
  const given = prompt();
  const attempt = async (doGenerate: () => Promise<{ usage: unknown }>): Promise<readonly Message[]> => {
    const params = await middleware.transformParams({ params: { prompt: given }, model: { modelId: 'm' } });
    const sent = structuredClone(params.prompt);
    await middleware.wrapGenerate({ params, doGenerate }).catch(() => undefined);
    return sent;
  };
  const first = await attempt(async () => await Promise.reject(new Error('busy')));
  edit(given);
  injector.adopt('late', { instructions: 'Late.' });
  return { first, second: await attempt(async () => await Promise.resolve({ usage: {} })) };
}

test('parameters that are an instance of a class go out as they came', async () => {
  class Params {
    readonly prompt = prompt();
  }
  const { conversation, injector } = startAdapterHost();
  injector.adopt('docs', { instructions: 'Docs.' });
  const params = new Params();
  const middleware = instructionsMiddleware(conversation);
  expect(await middleware.transformParams({ params, model: { modelId: 'm' } })).toBe(params);
});

describe('a prompt that is edited in place after a call that failed', () => {
  const image = { type: 'file', data: 'IMAGE' };
  test.each<[string, (prompt: Message[]) => void]>([
    ['a part more', ([, , last]) => void last!.content.push(image)],
    ['a part less', ([, , last]) => void last!.content.splice(0, 1, image)],
    ['another text', ([, , last]) => void (last!.content[0]!.text = 'that')],
    ['other content', ([, , last]) => void (last!.content = [image, { type: 'text', text: 'that' }])],
    ['a field more', ([, , last]) => void (last!.providerOptions = { lab: { cache: true } })],
    ['a message more', (list) => void list.push({ role: 'assistant', content: [] })],
    ['another message', (list) => void list.splice(2, 1, { role: 'user', content: [image] })],
    ['an earlier message', ([first]) => void first!.content.push(image)],
  ])('%s goes out', async (_, edit) => {
    const expected = prompt();
    edit(expected);
    const { second } = await callTwice(edit);
    expect(blocksIn(second)).toHaveLength(1);
    const isBlock = (part: Part): boolean => blocksIn(part).length > 0;
    const plain = second.map((message) => ({
      ...message,
      content: message.content.filter((part) => !isBlock(part)),
    }));
    expect(plain).toEqual(expected);
  });

  test('one that is not edited is the same attempt', async () => {
    const { first, second } = await callTwice(() => {});
    expect(second).toEqual(first);
    expect(blocksIn(second)).toEqual([tells('docs', 'Docs.')]);
  });
});
