import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { withInstructions } from '../../src/adapters/anthropic.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { isBlockText, prefixBreak, readRequest, shapeFaults } from '../support/request-reader.js';
import {
  callsTools,
  says,
  ServerHeldThreads,
  type Messages,
  type Said,
} from '../support/threads-endpoint.js';

type RunnerParams = Parameters<Anthropic['beta']['messages']['toolRunner']>[0];

interface Run {
  readonly host: TestHost;
  readonly threads: ServerHeldThreads;
}

const text = (id: string): string => `Text of ${id}.`;

async function start(
  model: (view: Messages, number: number, run: Run) => Said | { readonly busy: true },
): Promise<Run> {
  const threads = new ServerHeldThreads((view, number) => model(view, number, run));
  const host = await startHost({ answer: threads.answer });
  host.injector.adopt('docs', { instructions: text('docs') });
  const run: Run = { host, threads };
  return run;
}

async function runTools(
  { host }: Run,
  params: Partial<RunnerParams> = {},
  onTool: () => void = () => {},
): Promise<Anthropic.Beta.BetaMessage> {
  const look = {
    name: 'look',
    description: 'looks',
    input_schema: { type: 'object' as const },
    run: () => {
      onTool();
      return 'seen';
    },
    parse: (input: unknown) => input,
  };
  const runner = host.claude.beta.messages.toolRunner({
    model: MODEL,
    max_tokens: 64,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [look],
    ...params,
  });
  return await runner.runUntilDone();
}

/** What must hold of whatever the model saw: nothing twice, no block before a tool result, each view going on with the last. */
function expectSound({ threads }: Run): void {
  for (const view of threads.views) {
    expect(readRequest(view).faults).toEqual([]);
    expect(shapeFaults(view, [])).toEqual([]);
  }
  const changes = threads.views.slice(1).map((view, index) => prefixBreak(threads.views[index]!, view));
  expect(changes).toEqual(changes.map(() => -1));
}

const inForce = (view: Messages): Record<string, string> => Object.fromEntries(readRequest(view).inForce);
const wire = (run: Run, number: number): Messages => run.host.endpoint.requests[number - 1]!.body.messages;
const blockCount = (messages: Messages): number =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((block) => isBlockText(block.text)),
  ).length;

describe.each([{ stream: false }, { stream: true }])('server-held threads, stream: $stream', ({ stream }) => {
  it('continue turns are told the news only, after the tool results', async () => {
    const run = await start(
      (_, number) => [callsTools('t1', 't2'), callsTools('t3'), says('done')][number - 1]!,
    );
    let tools = 0;
    await runTools(run, { stream }, () => {
      tools += 1;
      if (tools === 1) run.host.injector.adopt('late', { instructions: text('late') });
    });
    expect(run.threads.kinds).toEqual(['create', 'continue', 'continue']);
    expect(wire(run, 2)).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'tool_result' },
          { type: 'tool_result' },
          { type: 'text', text: expect.stringContaining('late') },
        ],
      },
    ]);
    expect([1, 2, 3].map((number) => blockCount(wire(run, number)))).toEqual([1, 1, 0]);
    expectSound(run);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs'), late: text('late') });
    expect(run.host.reports.map((report) => report.reason)).toEqual(['placed', 'placed', 'no-news']);
  });

  it('an answer that paused goes on with no message, and nothing is told again after it', async () => {
    const run = await start(
      (_, number) =>
        [{ ...says('thinking'), stopReason: 'pause_turn' }, callsTools('t1'), says('done')][number - 1]!,
    );
    await runTools(run, { stream });
    expect(wire(run, 2)).toEqual([]);
    expect(wire(run, 3)).toMatchObject([{ content: [{ type: 'tool_result' }] }]);
    expectSound(run);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs') });
    expect(run.host.reports.map((report) => report.reason)).toEqual(['placed', 'no-news', 'no-news']);
  });

  it('news while an answer is paused waits for the next message', async () => {
    const run = await start((_, number, { host }) => {
      if (number === 1) host.injector.adopt('late', { instructions: text('late') });
      return [{ ...says('thinking'), stopReason: 'pause_turn' }, callsTools('t1'), says('done')][number - 1]!;
    });
    await runTools(run, { stream });
    expect(wire(run, 2)).toEqual([]);
    expectSound(run);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs'), late: text('late') });
    expect(run.host.reports.map((report) => report.reason)).toEqual(['placed', 'no-place', 'placed']);
    expect(run.host.reports[1]).toMatchObject({ pending: ['late'] });
  });

  it('a lost thread is replayed from the local history, with every block where it was', async () => {
    const run = await start(
      (_, number) =>
        [callsTools('t1'), callsTools('t2'), callsTools('t3'), undefined, says('done')][number - 1]!,
    );
    let tools = 0;
    await runTools(run, { stream }, () => {
      tools += 1;
      if (tools === 1) run.host.injector.adopt('late', { instructions: text('late') });
      if (tools === 3) run.threads.lose();
    });
    expect(run.threads.kinds).toEqual(['create', 'continue', 'continue', 'create']);
    expectSound(run);
    expect(blockCount(run.threads.views.at(-1)!)).toBe(2);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs'), late: text('late') });
  });

  it('without threads: the whole history, each block once', async () => {
    const run = await start((_, number) => [callsTools('t1'), says('done')][number - 1]!);
    await runTools(run, { stream, thread: false }, () =>
      run.host.injector.adopt('late', { instructions: text('late') }),
    );
    expect(run.threads.kinds).toEqual(['plain', 'plain']);
    expectSound(run);
    expect(blockCount(run.threads.views[1]!)).toBe(2);
  });

  it('a continue turn that the SDK sends twice carries the same bytes', async () => {
    const run = await start((_, number, { host }) => {
      if (number !== 2) return [callsTools('t1'), undefined, callsTools('t2'), says('done')][number - 1]!;
      host.injector.adopt('later', { instructions: text('later') });
      return { busy: true };
    });
    await runTools(run, { stream });
    expect(run.host.endpoint.requests[2]!.raw).toBe(run.host.endpoint.requests[1]!.raw);
    expectSound(run);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs'), later: text('later') });
  });

  it('what the API summed up is told once more, after the summary', async () => {
    const summary = { type: 'compaction', content: 'what was said' };
    const run = await start(
      (_, number) =>
        [{ content: [summary, ...callsTools('t1').content] }, callsTools('t2'), says('done')][number - 1]!,
    );
    await runTools(run, { stream });
    expect([1, 2, 3].map((number) => blockCount(wire(run, number)))).toEqual([1, 1, 0]);
    expect(inForce(run.threads.views.at(-1)!)).toEqual({ docs: text('docs') });
    expect(run.host.reports[1]).toMatchObject({ reason: 'history-changed', tokens: { carried: 0 } });
  });
});

describe('a thread that goes on elsewhere', () => {
  it('in a branch from an older message: told what that branch was told', async () => {
    const run = await start(() => says('ok'));
    const create = { thread: { type: 'create' } };
    const send = async (content: string, thread: object): Promise<string> => {
      const body = { model: MODEL, max_tokens: 64, messages: [{ role: 'user', content }], ...thread };
      const { id } = await run.host.claude.beta.messages.create(body as never);
      return id;
    };
    const first = await send('one', create);
    run.host.injector.adopt('late', { instructions: text('late') });
    const goOn = { thread: { type: 'continue', previous_message_id: first } };
    await send('left', goOn);
    await send('right', goOn);
    expect([1, 2, 3].map((number) => blockCount(wire(run, number)))).toEqual([1, 1, 1]);
    for (const view of run.threads.views) expect(readRequest(view).faults).toEqual([]);
    expect(inForce(run.threads.views[2]!)).toEqual({ docs: text('docs'), late: text('late') });
  });

  it('without a ledger: told everything, and the report says why', async () => {
    const run = await start(() => says('ok'));
    const first = await run.host.claude.beta.messages.create({
      model: MODEL,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'one' }],
      thread: { type: 'create' },
    } as never);
    const other = withInstructions(
      run.host.claude.withOptions({ middleware: [] }),
      run.host.injector.conversation(),
    );
    await other.beta.messages.create({
      model: MODEL,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'two' }],
      thread: { type: 'continue', previous_message_id: (first as { id: string }).id },
    } as never);
    expect(blockCount(wire(run, 2))).toBe(1);
    expect(run.host.reports[1]).toMatchObject({ reason: 'thread-unknown' });
  });
});
