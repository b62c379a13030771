import type { Conversation, Injector } from '../injector.js';
import { changeIn } from './changes.js';
import { blocksIn, deepFreeze, expectThat, isBlockText, prefixBreak } from './look.js';
import { RichWriter } from './rich-writer.js';
import { calls, longHistory, results, says, user, type RichTurn } from './script.js';
import { prepareWith, provide, withInjector } from './session.js';
import type { ContractCheck, ContractSubject, ScriptedTurn } from './subject.js';

const DOCS = { docs: 'Search first.' };

/** Makes the checks of what becomes of what the host wrote. */
export function contentChecks<Request>(subject: ContractSubject<Request>): readonly ContractCheck[] {
  const format = subject.format();
  const prepare = prepareWith(format);
  const requestOf = (...history: ScriptedTurn[]): Request => deepFreeze(subject.request(history));
  const told = (use: (conversation: Conversation, injector: Injector) => Promise<void>) => async () =>
    await withInjector(async (injector) => {
      await provide(injector, DOCS, {});
      await use(injector.conversation(), injector);
    });
  /** Learns how the API is written. */
  const writer = async (): Promise<RichWriter<Request>> => {
    let placed: Request | undefined;
    const hello = subject.request([user('hello')]);
    await told(async (conversation) => {
      placed = await prepare(conversation, deepFreeze(hello));
    })();
    return new RichWriter(subject, () => placed ?? hello);
  };

  const changesNothing: ContractCheck = {
    name: 'changes nothing of the host’s, over a long history of all that an API takes',
    run: async () => {
      const rich = await writer();
      await withInjector(async (injector) => {
        const conversation = injector.conversation();
        let before: readonly unknown[] = [];
        let there = {};
        const turns: RichTurn[] = [];
        for (const { added, told: now, news } of longHistory()) {
          turns.push(...added);
          await provide(injector, now, there);
          there = now;
          const request = deepFreeze(rich.request(turns));
          const sent = await prepare(conversation, request);
          const messages = subject.messages(sent);
          const at = `turn ${turns.length}`;
          const change = changeIn(request, sent, rich.words);
          expectThat(change === undefined, `${at}: ${change}`);
          const broken = prefixBreak(before, messages);
          expectThat(broken === -1, `${at}: message ${broken} changed`);
          const grown = blocksIn(messages).length - blocksIn(before).length;
          expectThat(grown === (news ? 1 : 0), `${at}: ${grown} new blocks`);
          const stripped = conversation.stripRequest(sent, format);
          expectThat(blocksIn(stripped).length === 0, `${at}: strip leaves a block`);
          const lost = changeIn(request, stripped, rich.words);
          expectThat(lost === undefined, `${at}, stripped: ${lost}`);
          before = messages;
        }
      });
    },
  };

  const tellsApart: ContractCheck = {
    name: 'tells apart answers, calls and what is no text',
    run: async () => {
      const rich = await writer();
      const last = (request: Request): string =>
        JSON.stringify(format.read(request, isBlockText).turns.at(-1));
      const ask = user('hello');
      const pairs: readonly (readonly [what: string, one: Request, other: Request])[] = [
        ['answers', requestOf(ask, says('one')), requestOf(ask, says('two'))],
        ['calls', requestOf(ask, calls('call_a')), requestOf(ask, calls('call_b'))],
        [
          'answers of tools',
          requestOf(ask, calls('call_a'), results('call_a')),
          requestOf(ask, calls('call_b'), results('call_b')),
        ],
        ['parts that are no text', rich.single('hello', 'one'), rich.single('hello', 'two')],
      ];
      for (const [what, one, other] of pairs) expectThat(last(one) !== last(other), `${what} are read alike`);
    },
  };

  const leavesEnds: ContractCheck = {
    name: 'puts nothing into or after what the model goes on with',
    run: told(async (conversation, injector) => {
      const sentOf = async (on: Conversation, ...turns: ScriptedTurn[]): Promise<readonly unknown[]> => {
        const request = requestOf(...turns);
        const list = subject.messages(request);
        const sent = subject.messages(await prepare(on, request));
        const isSame = JSON.stringify(sent.at(-1)) === JSON.stringify(list.at(-1));
        expectThat(isSame && sent.length === list.length, 'what the model goes on with is not the last');
        return sent;
      };
      const begun = await sentOf(conversation, user('hello'), says('The answer is'));
      expectThat(blocksIn(begun).length === 1, 'no block in the prompt before the begun answer');
      const called = await sentOf(injector.conversation(), user('hello'), calls('call_a'));
      expectThat(blocksIn(called).length === 0, 'a call is taken for a begun answer');
    }),
  };

  return [changesNothing, tellsApart, leavesEnds];
}
