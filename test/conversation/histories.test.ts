import { describe, expect, it } from 'vitest';
import { MAX_IDLE_ENTRIES } from '../../src/conversation/ledger-bounds.js';
import { record } from '../../src/conversation/settle.js';
import type { MessagesRequest } from '../../src/formats/anthropic-messages.js';
import {
  assistant,
  calls,
  Engine,
  request,
  results,
  user,
  type EngineCall,
  type Force,
} from '../support/engine.js';
import {
  bytesOf,
  deepFreeze,
  disagreements,
  isBlockText,
  prefixBreak,
  readRequest,
  shapeFaults,
} from '../support/request-reader.js';

type Message = MessagesRequest['messages'][number];

const D1: Force = { docs: 'docs one' };
const D1E1: Force = { docs: 'docs one', extra: 'extra one' };

/** Sends, and checks what must hold of every request: nothing told twice, nothing missing, nothing misplaced. */
function send(engine: Engine, force: Force, ...messages: Message[]): EngineCall {
  const given = deepFreeze(request(...messages));
  const sent = engine.prepare(given, force);
  const reading = readRequest(sent.request.messages);
  expect(reading.faults).toEqual([]);
  expect(disagreements(reading, force)).toEqual([]);
  expect(shapeFaults(sent.request.messages, given.messages)).toEqual([]);
  return sent;
}

function blocksIn(message: Message | undefined): number {
  if (message === undefined || typeof message.content === 'string') return 0;
  return message.content.filter((block) => isBlockText(block.text)).length;
}

const positions = (call: EngineCall): number[] =>
  call.request.messages.flatMap((message, index) => (blocksIn(message) > 0 ? [index] : []));

describe('histories as hosts keep them', () => {
  it('clean: blocks stay where they were first sent', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('q'));
    a.commit();
    const b = send(engine, D1E1, user('q'), assistant('a'), user('r'));
    b.commit();
    const c = send(engine, D1E1, user('q'), assistant('a'), user('r'), assistant('b'), user('s'));
    expect(prefixBreak(a.request.messages, b.request.messages)).toBe(-1);
    expect(prefixBreak(b.request.messages, c.request.messages)).toBe(-1);
    expect(positions(c)).toEqual([0, 2]);
    expect([a, b, c].map((call) => call.plan.reason)).toEqual(['placed', 'placed', 'no-news']);
  });

  it('with our blocks stored: nothing is added, with and without the ledger', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('q'));
    const stored = [...a.request.messages, assistant('a'), user('r')];
    const b = send(engine, D1, ...stored);
    const lost = send(new Engine(), D1, ...stored);
    expect(b.request.messages).toEqual(stored);
    expect(lost.request.messages).toEqual(stored);
    expect(lost.plan.reason).toBe('no-news');
  });

  it('thinking stripped from old turns', () => {
    const engine = new Engine();
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const full: Message = { role: 'assistant', content: [thinking, { type: 'text', text: 'a' }] };
    send(engine, D1, user('q'));
    const b = send(engine, D1, user('q'), full, user('r'));
    const c = send(engine, D1, user('q'), assistant('a'), user('r'), assistant('b'), user('s'));
    expect(positions(b)).toEqual([0]);
    expect(positions(c)).toEqual([0]);
    expect(c.plan.reason).toBe('no-news');
  });

  it('assistant text trimmed, and its blocks merged', () => {
    const engine = new Engine();
    const split: Message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'one ' },
        { type: 'text', text: ' two\n' },
      ],
    };
    send(engine, D1, user('q'), split, user('r'));
    const again = send(engine, D1, user('q'), assistant('one two'), user('r'), assistant('b'), user('s'));
    expect(positions(again)).toEqual([2]);
  });

  it('tool results cleared', () => {
    const engine = new Engine();
    send(engine, D1, user('q')).commit();
    send(engine, D1E1, user('q'), calls('t1'), results('t1')).commit();
    const cleared: Message = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: '[cleared]' }],
    };
    const later = send(engine, D1E1, user('q'), calls('t1'), cleared, assistant('a'), user('r'));
    expect(positions(later)).toEqual([0, 2]);
    expect(later.plan.reason).toBe('no-news');
  });

  it('oldest turns trimmed: what went with them is told once more, in the newest message', () => {
    const engine = new Engine();
    send(engine, D1, user('q')).commit();
    send(engine, D1, user('q'), assistant('a'), user('r')).commit();
    const cut = send(engine, D1, user('r'), assistant('b'), user('s'));
    expect(positions(cut)).toEqual([2]);
    expect(cut.plan.reason).toBe('history-changed');
    const next = send(engine, D1, user('r'), assistant('b'), user('s'), assistant('c'), user('t'));
    expect(prefixBreak(cut.request.messages, next.request.messages)).toBe(-1);
  });

  it('a summary in place of old turns', () => {
    const engine = new Engine();
    send(engine, D1E1, user('q')).commit();
    const summary = send(engine, D1E1, user('summary of it all'));
    expect(positions(summary)).toEqual([0]);
    expect(summary.plan.reason).toBe('history-changed');
  });

  describe('the API sums up old turns by itself', () => {
    const summed = (content: unknown): Message => ({
      role: 'assistant',
      content: [
        { type: 'compaction', content },
        { type: 'text', text: 'a' },
      ],
    });
    /** What the model reads: nothing before the newest summary. */
    const seen = (call: EngineCall): Message[] => {
      const at = call.request.messages.findLastIndex(
        ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'compaction'),
      );
      return call.request.messages.slice(at + 1);
    };

    it('what went with them is told once more, and no block moves', () => {
      const engine = new Engine();
      const a = engine.prepare(request(user('q')), D1);
      a.commit();
      const b = engine.prepare(request(user('q'), summed('so far'), user('r')), D1);
      b.commit();
      const c = engine.prepare(
        request(user('q'), summed('so far'), user('r'), assistant('b'), user('s')),
        D1,
      );
      expect([a, b, c].map((call) => call.plan.reason)).toEqual(['placed', 'history-changed', 'no-news']);
      expect(prefixBreak(a.request.messages, b.request.messages)).toBe(-1);
      expect(prefixBreak(b.request.messages, c.request.messages)).toBe(-1);
      expect(disagreements(readRequest(seen(b)), D1)).toEqual([]);
      expect(disagreements(readRequest(seen(c)), D1)).toEqual([]);
      expect(c.plan.carried).toHaveLength(1);
    });

    it('a server that left before is not mentioned, and one that returns is told in full', () => {
      const engine = new Engine();
      engine.prepare(request(user('q')), D1E1).commit();
      const b = engine.prepare(request(user('q'), summed('so far'), user('r')), D1);
      b.commit();
      expect(disagreements(readRequest(seen(b)), D1)).toEqual([]);
      const c = engine.prepare(
        request(user('q'), summed('so far'), user('r'), assistant('b'), user('s')),
        D1E1,
      );
      expect(readRequest(seen(c)).faults).toEqual([]);
      expect(disagreements(readRequest(seen(c)), D1E1)).toEqual([]);
    });

    it('in a server-held thread, which goes on from the summary', () => {
      const engine = new Engine();
      const saved = (): Engine => new Engine(engine.save());
      engine.prepare(request(user('q')), D1E1).commit({ id: 'm1', content: summed('so far').content });
      const goOn = { ...request(user('r')), thread: { type: 'continue', previous_message_id: 'm1' } };
      for (const other of [engine, saved()]) {
        const b = other.prepare(goOn, D1);
        b.commit({ id: 'm2', content: 'b' });
        expect(b.plan.reason).toBe('history-changed');
        expect(disagreements(readRequest(b.request.messages), D1)).toEqual([]);
        const c = other.prepare({ ...goOn, thread: { type: 'continue', previous_message_id: 'm2' } }, D1E1);
        expect(disagreements(readRequest([...b.request.messages, ...c.request.messages]), D1E1)).toEqual([]);
        expect(readRequest([...b.request.messages, ...c.request.messages]).faults).toEqual([]);
      }
    });

    it('a summary that failed changes nothing', () => {
      const engine = new Engine();
      send(engine, D1, user('q')).commit();
      const b = send(engine, D1, user('q'), summed(null), user('r'));
      expect(positions(b)).toEqual([0]);
    });
  });

  it('compaction during the grace of a server, which then returns', () => {
    const engine = new Engine();
    send(engine, D1, user('q')).commit();
    const held = send(engine, { docs: null }, user('summary'));
    expect(positions(held)).toEqual([]);
    send(engine, D1, user('summary'), assistant('a'), user('r'));
  });

  it('regenerate: the same bytes, whatever changed meanwhile', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('q'));
    a.commit();
    const again = engine.prepare(request(user('q')), D1E1);
    expect(again.request).toEqual(a.request);
    expect(again.plan.reason).toBe('turn-already-sent');
    const next = send(engine, D1E1, user('q'), assistant('another'), user('r'));
    expect(prefixBreak(a.request.messages, next.request.messages)).toBe(-1);
  });

  it('regenerate of a message that carried nothing: it stays so', () => {
    const engine = new Engine();
    const quiet = engine.prepare(request(user('q')), { docs: null });
    quiet.commit();
    const again = engine.prepare(request(user('q')), D1);
    expect(again.request).toEqual(quiet.request);
    send(engine, D1, user('q'), assistant('a'), user('r'));
  });

  it('edit and resend', () => {
    const engine = new Engine();
    send(engine, D1, user('q')).commit();
    send(engine, D1E1, user('q'), assistant('a'), user('r')).commit();
    const edited = send(engine, D1E1, user('q'), assistant('a'), user('r, edited'));
    expect(positions(edited)).toEqual([0, 2]);
    expect(edited.plan.reason).toBe('history-changed');
  });

  it('branch from the middle and back: both branches keep their own blocks', () => {
    const engine = new Engine();
    const trunk = [user('q'), assistant('a')];
    send(engine, D1, user('q')).commit();
    const left = send(engine, D1E1, ...trunk, user('left'));
    left.commit();
    const right = send(engine, D1E1, ...trunk, user('right'));
    right.commit();
    const back = send(engine, D1E1, ...trunk, user('left'), assistant('b'), user('on'));
    expect(prefixBreak(left.request.messages, back.request.messages)).toBe(-1);
    const again = send(engine, D1E1, ...trunk, user('right'), assistant('c'), user('on'));
    expect(prefixBreak(right.request.messages, again.request.messages)).toBe(-1);
  });

  it('a message that went out bare is later resent with news: the branch that goes on without it stays as it was', () => {
    const engine = new Engine();
    const cut = [user('go on'), assistant('a'), user('r')];
    // The history was cut before, so its messages are new here; only the newest one can be told something.
    const long = send(engine, D1, ...cut, assistant('b'), user('s'));
    long.commit();
    const resent = send(engine, D1, ...cut);
    resent.commit();
    expect([positions(long), positions(resent)]).toEqual([[4], [2]]);
    const back = send(engine, D1, ...cut, assistant('b'), user('s'), assistant('c'), user('t'));
    expect(positions(back)).toEqual([4]);
    expect(prefixBreak(long.request.messages, back.request.messages)).toBe(-1);
    const on = send(engine, D1, ...cut, assistant('other'), user('s'));
    expect(prefixBreak(resent.request.messages, on.request.messages)).toBe(-1);
  });

  it('a stored message of the same words as another one carries what is stored in it, and no more', () => {
    const engine = new Engine();
    const first = send(engine, D1, user('go on'));
    first.commit();
    const second = send(engine, D1E1, ...first.request.messages, assistant('a'), user('go on'));
    second.commit();
    const kept = second.request.messages.at(-1)!;
    const cut = send(engine, D1E1, kept, assistant('b'), user('s'));
    expect(bytesOf(cut.request.messages[0]!)).toBe(bytesOf(kept));
    expect(blocksIn(cut.request.messages[0])).toBe(1);
  });

  it('two requests in flight from one snapshot: the first plan decides for both', () => {
    const engine = new Engine();
    const first = engine.prepare(request(user('q')), D1);
    const second = engine.prepare(request(user('q')), D1E1);
    expect(second.request).toEqual(first.request);
    second.commit();
    first.commit();
    const next = send(engine, D1E1, user('q'), assistant('a'), user('r'));
    expect(prefixBreak(first.request.messages, next.request.messages)).toBe(-1);
  });

  it('two different requests in flight from one snapshot: each branch is told exactly once', () => {
    const engine = new Engine();
    const trunk = [user('q'), assistant('a')];
    send(engine, D1, user('q')).commit();
    const main = send(engine, D1E1, ...trunk, user('main loop'));
    const side = send(engine, D1E1, ...trunk, user('side question'));
    expect(positions(main)).toEqual([0, 2]);
    expect(positions(side)).toEqual([0, 2]);
  });

  it('identical user messages in a row', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('go on'));
    a.commit();
    const b = send(engine, D1E1, user('go on'), assistant('a'), user('go on'));
    b.commit();
    const c = send(engine, D1E1, user('go on'), assistant('a'), user('go on'), user('go on'));
    expect(prefixBreak(b.request.messages, c.request.messages)).toBe(-1);
    expect(positions(c)).toEqual([0, 2]);
  });

  it('consecutive user messages: the block never stands before a tool result', () => {
    const engine = new Engine();
    send(engine, {}, user('q')).commit();
    const alone = engine.prepare(request(user('q'), calls('t1', 't2'), results('t1')), D1);
    expect(positions(alone)).toEqual([2]);
    const both = send(engine, D1, user('q'), calls('t1', 't2'), results('t1'), results('t2'));
    expect(positions(both)).toEqual([3]);
  });

  it('a system-role message in the middle and at the end', () => {
    const engine = new Engine();
    const note: Message = { role: 'system', content: 'note' };
    const a = send(engine, D1, user('q'), note);
    a.commit();
    const b = send(engine, { docs: 'docs two' }, user('q'), note, assistant('a'), user('r'), note);
    expect(prefixBreak(a.request.messages, b.request.messages)).toBe(-1);
    expect(positions(b)).toEqual([0, 3]);
  });

  it('the ledger lost with a clean history: everything is told again, in the newest message', () => {
    send(new Engine(), D1, user('q')).commit();
    const lost = send(new Engine(), D1, user('q'), assistant('a'), user('r'));
    expect(positions(lost)).toEqual([2]);
    expect(lost.plan.reason).toBe('placed');
  });

  it('the ledger lost with stored blocks, a server removed meanwhile', () => {
    const a = send(new Engine(), D1E1, user('q'));
    const lost = send(new Engine(), D1, ...a.request.messages, assistant('a'), user('r'));
    expect(positions(lost)).toEqual([0, 2]);
  });

  it('stored blocks, the oldest turn trimmed: what is stored stays as it is', () => {
    const engine = new Engine();
    const a = engine.prepare(request(user('1')), {});
    a.commit();
    const b = send(engine, D1, ...a.request.messages, assistant('a'), user('2'));
    b.commit();
    const kept = b.request.messages.at(-1)!;
    const cut = send(engine, D1, kept, assistant('b'), user('3'));
    expect(bytesOf(cut.request.messages[0]!)).toBe(bytesOf(kept));
  });

  it('a user who pastes a block as the whole message is the author of it', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('q'));
    a.commit();
    const content = a.request.messages[0]!.content;
    const pasted = typeof content === 'string' ? content : String(content[0]!.text);
    const given = request(user('q'), assistant('a'), user(pasted));
    const sent = engine.prepare(given, D1);
    expect(sent.request.messages.at(-1)).toEqual(user(pasted));
  });

  it('a prefill: its user message is planned once, and nothing comes after the prefill', () => {
    const engine = new Engine();
    const a = send(engine, D1, user('q'), assistant('{'));
    expect(positions(a)).toEqual([0]);
    a.commit();
    const b = send(engine, D1E1, user('q'), assistant('{"x":1}'), user('r'), assistant('{'));
    expect(positions(b)).toEqual([0, 2]);
    expect(b.request.messages.at(-1)).toEqual(assistant('{'));
  });

  it('a trailing tool call takes no news', () => {
    const engine = new Engine();
    const sent = engine.prepare(request(user('q'), calls('t1')), D1);
    expect(positions(sent)).toEqual([]);
    expect(sent.plan.reason).toBe('no-place');
    send(engine, D1, user('q'), calls('t1'), results('t1'));
  });

  it('an empty newest message takes none', () => {
    const engine = new Engine();
    const sent = engine.prepare(request(user('')), D1);
    expect(sent.request.messages).toEqual([user('')]);
    expect(sent.plan.reason).toBe('no-place');
  });

  it('counting first, with nothing ready yet, records nothing', () => {
    const engine = new Engine();
    engine.prepare(request(user('q')), { docs: null }, false);
    expect(engine.ledger.entries.size).toBe(0);
    expect(positions(send(engine, D1, user('q')))).toEqual([0]);
  });

  /** Sends turn after turn, each with news, and expects each request to go on from the one before. */
  function converse(engine: Engine, history: Message[], name: string, from: number, to: number): void {
    let last: EngineCall | undefined;
    for (let turn = from; turn < to; turn += 1) {
      history.push(user(`${name} q${turn}`));
      const sent = send(engine, { docs: `${name} text ${turn}` }, ...history);
      sent.commit();
      if (last !== undefined) expect(prefixBreak(last.request.messages, sent.request.messages)).toBe(-1);
      last = sent;
      history.push(assistant(`${name} a${turn}`));
    }
  }

  it('more deltas than idle entries are kept: a long branch loses nothing', () => {
    converse(new Engine(), [], 'only', 0, 150);
  });

  it('a long branch beside another long one loses nothing, and the idle one is cut down', () => {
    const engine = new Engine();
    const history: Message[] = [];
    converse(engine, history, 'first', 0, 150);
    const branch = history.slice(0, 20);
    converse(engine, branch, 'second', 10, 150);
    expect(engine.ledger.entries.size).toBe(150 + MAX_IDLE_ENTRIES);
  });
});

describe('discard', () => {
  it('forgets a plan that was not delivered', () => {
    const engine = new Engine();
    engine.prepare(request(user('q')), D1).discard();
    expect(engine.ledger.entries.size).toBe(0);
    expect(engine.ledger.blocks.size).toBe(0);
    send(engine, { other: 'text' }, user('q'));
  });

  it('a call that tries again later does not replace what another call of the turn delivered meanwhile', () => {
    const engine = new Engine();
    const failed = engine.prepare(request(user('q')), D1);
    failed.discard();
    const delivered = send(engine, D1E1, user('q'));
    delivered.commit();
    record(engine.ledger, failed.plan);
    const next = send(engine, D1E1, user('q'), assistant('a'), user('r'));
    expect(prefixBreak(delivered.request.messages, next.request.messages)).toBe(-1);
  });

  it('keeps what was committed', () => {
    const engine = new Engine();
    const a = engine.prepare(request(user('q')), D1);
    a.commit();
    a.discard();
    const next = send(engine, D1, user('q'), assistant('a'), user('r'));
    expect(prefixBreak(a.request.messages, next.request.messages)).toBe(-1);
  });
});

describe('server-held threads', () => {
  const goOn = (id: string, ...messages: Message[]): MessagesRequest => ({
    ...request(...messages),
    thread: { type: 'continue', previous_message_id: id },
  });

  it('are told once, and only the news after it', () => {
    const engine = new Engine();
    engine.prepare(request(user('q')), D1).commit({ id: 'm1', content: calls('t1').content });
    const b = engine.prepare(goOn('m1', results('t1')), D1);
    expect(positions(b)).toEqual([]);
    b.commit({ id: 'm2', content: 'done' });
    const c = engine.prepare(goOn('m2', user('r')), D1E1);
    expect([...readRequest(c.request.messages).inForce.keys()]).toEqual(['extra']);
  });

  it('can be continued from an older message, as a branch', () => {
    const engine = new Engine();
    engine.prepare(request(user('q')), D1).commit({ id: 'm1', content: 'a' });
    engine.prepare(goOn('m1', user('r')), D1E1).commit({ id: 'm2', content: 'b' });
    const branch = engine.prepare(goOn('m1', user('s')), D1E1);
    expect([...readRequest(branch.request.messages).inForce.keys()]).toEqual(['extra']);
  });

  it('that are lost and replayed from the local history carry the same blocks again, each once', () => {
    const engine = new Engine();
    const a = engine.prepare(request(user('q')), D1);
    a.commit({ id: 'm1', content: calls('t1').content });
    const b = engine.prepare(goOn('m1', results('t1')), D1E1);
    b.commit({ id: 'm2', content: 'x' });
    const replay = send(engine, D1E1, user('q'), calls('t1'), results('t1'), assistant('x'), user('r'));
    const held = [a.request.messages[0]!, calls('t1'), b.request.messages[0]!];
    expect(prefixBreak(held, replay.request.messages)).toBe(-1);
  });

  it('that are not known are told everything', () => {
    const engine = new Engine();
    engine.prepare(request(user('q')), D1).commit({ id: 'm1', content: 'a' });
    const unknown = engine.prepare(goOn('m9', user('r')), D1);
    expect(readRequest(unknown.request.messages).inForce.get('docs')).toBe('docs one');
    expect(unknown.plan.reason).toBe('thread-unknown');
  });
});
