import type { Conversation, Injector } from '../injector.js';
import { contentChecks } from './content-checks.js';
import {
  blockPlaces,
  blocksIn,
  deepFreeze,
  emptinessIn,
  expectThat,
  isBlockText,
  prefixBreak,
  stringsIn,
} from './look.js';
import { oddMessages, withList } from './odd-messages.js';
import { calls, results, says, scriptedHistory, user, type Told } from './script.js';
import { prepareWith, provide, withInjector } from './session.js';
import type { ContractCheck, ContractSubject, ScriptedTurn } from './subject.js';

/** Makes the checks of one format. */
export function formatChecks<Request>(subject: ContractSubject<Request>): readonly ContractCheck[] {
  const format = subject.format();
  const requestOf = (...history: ScriptedTurn[]): Request => deepFreeze(subject.request(history));
  const prepare = prepareWith(format);
  const told = (use: (conversation: Conversation, injector: Injector) => Promise<void>) => async () =>
    await withInjector(async (injector) => {
      injector.adopt('docs', { instructions: 'Search first.' });
      await use(injector.conversation(), injector);
    });

  const checks: ContractCheck[] = [];
  const check = (name: string, run: () => Promise<void>): void => void checks.push({ name, run });

  check('takes its own requests and nothing else', async () => {
    expectThat(format.accepts(requestOf(user('hello'))), 'its own request is refused');
    for (const other of [undefined, null, 42, 'text', true, {}, [], { messages: 5 }, { input: 5 }]) {
      expectThat(!format.accepts(other), `taken for a request: ${JSON.stringify(other)}`);
    }
  });

  check('reads a copy of a request as the request itself, and another one as another', async () => {
    const never = (): boolean => false;
    const read = (request: Request): string => JSON.stringify(format.read(request, never).turns);
    const request = requestOf(user('one'), says('two'), user('three'));
    expectThat(read(request) === read(structuredClone(request)), 'a copy is read as something else');
    expectThat(
      read(request) !== read(requestOf(user('one'), says('two'), user('four'))),
      'two texts are read alike',
    );
  });

  check('gives back the request itself when there is nothing to place or to strip', async () => {
    const request = requestOf(user('hello'));
    expectThat(format.write(request, []) === request, 'a request with nothing to place is a new one');
    expectThat(
      format.strip(request, isBlockText) === request,
      'a request with nothing to strip is a new one',
    );
  });

  check(
    'places a block in the prompt, beside what the host wrote',
    told(async (conversation) => {
      const request = requestOf(user('hello'));
      const sent = await prepare(conversation, request);
      expectThat(blocksIn(sent).length === 1, `expected one block, found ${blocksIn(sent).length}`);
      expectThat(stringsIn(sent).includes('hello'), 'what the host wrote is gone');
      const [given, now] = [subject.messages(request).length, subject.messages(sent).length];
      expectThat(given === now, `expected ${given} messages, found ${now}`);
    }),
  );

  check('only appends, over twelve turns', async () => {
    await withInjector(async (injector) => {
      const conversation = injector.conversation();
      let before: readonly unknown[] = [];
      let there: Told = {};
      for (const { history, told: now, news } of scriptedHistory()) {
        await provide(injector, now, there);
        there = now;
        const sent = await prepare(conversation, requestOf(...history));
        const messages = subject.messages(sent);
        const at = prefixBreak(before, messages);
        expectThat(at === -1, `turn of ${history.length} messages: message ${at} changed`);
        const added = blocksIn(messages).length - blocksIn(before).length;
        expectThat(added === (news ? 1 : 0), `turn of ${history.length} messages: ${added} new blocks`);
        before = messages;
      }
    });
  });

  check(
    'keeps the answers of tools together, in both kinds of request',
    told(async (conversation, injector) => {
      const opening = [user('hello'), calls('call_a', 'call_b', 'call_c')];
      await prepare(conversation, requestOf(user('hello')));
      injector.adopt('late', { instructions: 'Late.' });
      const answers = results('call_a', 'call_b', 'call_c');
      const sent = await prepare(conversation, requestOf(...opening, answers));
      const again = await prepare(conversation, requestOf(...opening, answers, says('done'), user('more')));
      for (const request of [sent, again]) {
        const texts = stringsIn(subject.messages(request));
        const [first, last] = [texts.indexOf('answer of call_a'), texts.indexOf('answer of call_c')];
        const late = texts.findLastIndex((text) => isBlockText(text) && text.includes('Late.'));
        expectThat(first >= 0 && last > first, 'an answer of a tool is gone');
        expectThat(late > last, 'news is missing, or stands before an answer of a tool');
      }
    }),
  );

  check(
    'makes nothing empty',
    told(async (conversation) => {
      const request = requestOf(user('hello'), calls('call_a'), results('call_a'));
      const sent = await prepare(conversation, request);
      expectThat(emptinessIn(sent) <= emptinessIn(request), 'an empty text or list was made');
    }),
  );

  check(
    'changes no request that it is given',
    told(async (conversation) => {
      const request = requestOf(
        user('hello'),
        calls('call_a'),
        results('call_a'),
        says('done'),
        user('more'),
      );
      const before = JSON.stringify(request);
      const sent = await prepare(conversation, request);
      conversation.stripRequest(sent, format);
      expectThat(JSON.stringify(request) === before, 'the request was changed');
      expectThat(sent !== request, 'nothing was placed');
    }),
  );

  check(
    'adds nothing when a request is prepared twice',
    told(async (conversation, injector) => {
      for (const request of [
        requestOf(user('hello')),
        requestOf(user('hello'), calls('call_a', 'call_b'), results('call_a', 'call_b')),
      ]) {
        const sent = await prepare(conversation, request);
        const same = await prepare(conversation, request);
        expectThat(JSON.stringify(same) === JSON.stringify(sent), 'the same request became another one');
        // As a host that stores what was sent.
        const stored = deepFreeze(structuredClone(sent));
        expectThat((await prepare(conversation, stored)) === stored, 'a stored request got something more');
        const elsewhere = await prepare(injector.conversation(), stored);
        expectThat(elsewhere === stored, 'a stored request is not understood without a ledger');
        injector.adopt('late', { instructions: 'Late.' });
      }
    }),
  );

  check(
    'stays in place when answers of tools are cleared',
    told(async (conversation, injector) => {
      await prepare(conversation, requestOf(user('hello')));
      injector.adopt('late', { instructions: 'Late.' });
      const opening = [user('hello'), calls('call_a', 'call_b')];
      const whole = await prepare(conversation, requestOf(...opening, results('call_a', 'call_b')));
      const cleared = results('call_a', 'call_b');
      const sent = await prepare(
        conversation,
        requestOf(
          ...opening,
          { ...cleared, results: cleared.results.map(({ id }) => ({ id, text: 'cleared' })) },
          says('done'),
          user('more'),
        ),
      );
      const [before, now] = [blockPlaces(subject.messages(whole)), blockPlaces(subject.messages(sent))];
      expectThat(before.length === 2, `expected two blocks, found ${before.length}`);
      expectThat(now.join() === before.join(), `blocks were at ${before.join()}, and are at ${now.join()}`);
    }),
  );

  check('leaves a message of no known kind as it is, and the others carry theirs', async () => {
    const ask = [user('hello'), says('yes?')];
    const last = [says('done'), user('more')];
    const listOf = (...history: ScriptedTurn[]): readonly unknown[] =>
      subject.messages(requestOf(...history));
    const kinds = [user('odd'), says('odd'), calls('call_a'), results('call_a')];
    for (const odd of oddMessages(kinds.flatMap((turn) => listOf(turn).slice(listOf().length)))) {
      const name = JSON.stringify(odd);
      const before = listOf(...ask);
      const list = [...before, odd, ...listOf(...last).slice(listOf().length)];
      const request = deepFreeze(withList(subject, subject.request([...ask, ...last]), list));
      await withInjector(async (injector) => {
        injector.adopt('docs', { instructions: 'Search first.' });
        const conversation = injector.conversation();
        await prepare(conversation, requestOf(...ask));
        injector.adopt('late', { instructions: 'Late.' });
        const prepared = await prepare(conversation, request);
        const sent = subject.messages(prepared);
        expectThat(blocksIn(sent.slice(0, before.length)).length === 1, `a block is gone, beside ${name}`);
        expectThat(JSON.stringify(sent[before.length]) === name, `changed: ${name}`);
        expectThat(blocksIn(sent.slice(before.length)).length === 1, `no news, beside ${name}`);
        const stripped = subject.messages(conversation.stripRequest(prepared, format));
        expectThat(JSON.stringify(stripped[before.length]) === name, `changed by strip: ${name}`);
        expectThat(blocksIn(stripped).length === 0, `a block is left, beside ${name}`);
      });
    }
  });

  check(
    'takes out its blocks and nothing else',
    told(async (conversation, injector) => {
      await prepare(conversation, requestOf(user('hello')));
      injector.adopt('late', { instructions: 'Late.' });
      const request = requestOf(user('hello'), calls('call_a'), results('call_a'));
      const sent = await prepare(conversation, request);
      expectThat(blocksIn(sent).length === 2, 'nothing to strip');
      const stripped = conversation.stripRequest(sent, format);
      expectThat(blocksIn(stripped).length === 0, 'a block is left');
      const turns = (of: Request): string => JSON.stringify(format.read(of, isBlockText).turns);
      expectThat(turns(stripped) === turns(request), 'something of the host’s is gone');
    }),
  );

  return [...checks, ...contentChecks(subject)];
}
