import type { ChainCache } from '../conversation/chain-cache.js';
import { BlockReader } from '../conversation/block-reader.js';
import type { InForce } from '../conversation/diff.js';
import { plan } from '../conversation/plan.js';
import type { Plan } from '../conversation/plan-types.js';
import { record, reliance } from '../conversation/settle.js';
import type { LedgerData } from '../conversation/ledger-data.js';
import type { Report, ReportReason } from '../cost/report.js';
import { withUsage } from '../cost/token-report.js';
import { AnthropicMessages, type MessagesRequest } from '../formats/anthropic-messages.js';
import type { AnyRequest } from '../formats/inline-request.js';
import { reasonOf } from '../errors.js';
import type { RequestFormat } from '../formats/request-format.js';
import type { Observer } from '../observe/observer.js';
import { swallow } from '../observe/swallow.js';
import { anthropicMiddleware, type AnthropicMiddleware } from './anthropic-middleware.js';
import { hearingOf, hearsAll, type Audience, type Hears } from './audience.js';
import type { ConversationState } from './conversation-state.js';
import {
  prepareOptions,
  type PrepareCallOptions,
  type Prepared,
  type PreparedCall,
  type PrepareOptions,
} from './prepared.js';
import { makePrepared } from './prepared-call.js';
import type { ReportBuilder } from './report-builder.js';
import { emitReport } from './report-events.js';
import type { Recipient } from './recipient.js';
import { inForce, toldOf, type ServerView } from './server-views.js';
import { checkFormat, checkMessages } from './strip-arguments.js';
import type { UnknownOptions } from './unknown-options.js';

/** What a conversation needs of its injector. */
export interface ConversationHost {
  readonly disabled: boolean;
  readonly observer: Observer;
  readonly unknown: UnknownOptions;
  readonly reports: ReportBuilder;
  /** A request of the conversation is planned. @returns what is remembered of its last one */
  readonly onUse: (state: ConversationState) => ChainCache;
  /** SHA-256 in hex. */
  readonly hash: (text: string) => string;
  readonly onReport: ((report: Report) => void) | undefined;
  /** Waits for servers that are still connecting; what comes back gives all of them as they then are. */
  readonly views: (
    recipient: Recipient,
    signal: AbortSignal | undefined,
  ) => Promise<() => readonly ServerView[]>;
  /** Called when a request that tells these texts, or told them before, is on record. */
  readonly onTold: (views: readonly ServerView[], recipient: Recipient) => void;
}

/** What a plan was made of, kept so that a later step can finish or repeat it. */
interface Planned<Request> {
  readonly request: Request;
  readonly plan: Plan | undefined;
  readonly reason: ReportReason;
  readonly views: readonly ServerView[];
  readonly hears: Hears;
}

const anthropicMessages = new AnthropicMessages();

/** One message history and its branches: what its model was told, and what its requests carry. */
export class Conversation {
  readonly #state: ConversationState;
  readonly #host: ConversationHost;
  readonly #audience: Audience | undefined;
  readonly #reader: BlockReader;
  #lastReport: Report | undefined;

  /** Made by `injector.conversation()`. */
  constructor(state: ConversationState, host: ConversationHost, audience: Audience | undefined) {
    this.#state = state;
    this.#host = host;
    this.#audience = audience;
    this.#reader = new BlockReader(host.hash);
  }

  /** The name that the host gave it, or one made up. */
  get id(): string {
    return this.#state.id;
  }

  /** The newest report; `undefined` before the first request. Under concurrency use `onReport`. */
  get lastReport(): Report | undefined {
    return this.#lastReport;
  }

  /**
   * Puts what the model must know into a request. Never fails because of a server, a store or anything of ours: at
   * worst the request goes out as it came, and the report says so.
   *
   * @param request the request body; never changed
   * @param options see {@link PrepareOptions}
   * @returns the request to send, what it carries, and how to say what became of it
   */
  async prepare<Request extends AnyRequest = MessagesRequest>(
    request: Request,
    options?: PrepareOptions<Request>,
  ): Promise<Prepared<Request>> {
    this.#host.unknown.look('prepare', options, prepareOptions);
    return await this.prepareCall(request, options);
  }

  /**
   * {@link Conversation.prepare} for the library's own adapters.
   *
   * @internal
   */
  async prepareCall<Request>(
    request: Request,
    given?: PrepareCallOptions<Request>,
  ): Promise<PreparedCall<Request>> {
    // Not a default value: `null` is no reason to fail a call, either.
    const options = given ?? {};
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it asks `accepts` before it reads a request
    const format = (options.format ?? anthropicMessages) as RequestFormat<Request>;
    const isRecorded = options.record ?? true;
    const planned = await this.#plan(request, format, options);
    const report = this.#report(planned, request, isRecorded);
    return makePrepared({
      request: planned.request,
      report,
      made: isRecorded ? planned.plan : undefined,
      format,
      state: this.#state,
      onUsage: (usage) => {
        if (this.#lastReport === report) this.#lastReport = withUsage(report, usage);
      },
    });
  }

  /** A middleware for the Anthropic SDK, for a client or a single request. */
  middleware(): AnthropicMiddleware {
    return anthropicMiddleware(this);
  }

  /**
   * The messages without our blocks, for a UI or a summariser.
   *
   * @param messages messages of the Messages API; not changed
   * @throws InstructionsError `INVALID_OPTION` for anything but an array
   */
  strip<Message>(messages: readonly Message[]): Message[] {
    checkMessages(messages);
    const request: unknown = { messages };
    if (!anthropicMessages.accepts(request)) return [...messages];
    const stripped = anthropicMessages.strip(request, (text) => this.#isBlock(text));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a format takes blocks out of messages and changes nothing else
    return [...stripped.messages] as Message[];
  }

  /**
   * A request of another format without our blocks, for a UI or a summariser.
   *
   * @param request a request, or as much of one as holds the messages; not changed
   * @param format how it is read
   * @returns the request itself when it holds none
   * @throws InstructionsError `INVALID_OPTION` when the format is none
   */
  stripRequest<Request>(request: Request, format: RequestFormat<Request>): Request {
    checkFormat(format);
    return format.accepts(request) ? format.strip(request, (text) => this.#isBlock(text)) : request;
  }

  /** Drops what is known of the conversation, here and in the store. */
  async forget(): Promise<void> {
    await this.#state.forget();
  }

  /** What the conversation was told, as plain JSON. */
  toJSON(): LedgerData {
    return this.#state.toJSON();
  }

  /** @internal */
  knowsThread(messageId: string): boolean {
    return this.#state.ledger.threads.has(messageId);
  }

  #isBlock(text: string): boolean {
    return this.#reader.isBlock(text, this.#state.ledger);
  }

  async #plan<Request>(
    request: Request,
    format: RequestFormat<Request>,
    options: PrepareCallOptions<Request>,
  ): Promise<Planned<Request>> {
    let views: readonly ServerView[] = [];
    let hears = hearingOf(this.#audience, request);
    let forced: InForce | undefined;
    let failed: unknown;
    const { disabled } = this.#host;
    const recipient: Recipient = { hears, shares: () => this.#state.shares() };
    const look = await this.#host.views(recipient, options.signal ?? undefined).catch((error: unknown) => {
      failed = error;
    });
    const readable = await this.#state.load();
    // From here on nothing is waited for: two requests see the servers in the order in which they are recorded.
    try {
      if (look !== undefined) {
        views = look();
        for (const { id } of views) hears(id);
        if (!disabled) forced = inForce(views, hears);
      }
    } catch (error) {
      failed = error;
      hears = hearsAll;
    }
    const common = { views, hears };
    if (!readable) return { ...common, request, plan: undefined, reason: 'prefix-lost' };
    try {
      if (!format.accepts(request)) return { ...common, request, plan: undefined, reason: 'no-place' };
      if (failed === undefined) {
        const planned = this.#planOnce(request, format, forced, options);
        if (options.record ?? true) this.#host.onTold(toldOf(views, planned.plan), recipient);
        return { ...common, ...planned };
      }
    } catch (error) {
      failed = error;
    }
    this.reportFailure(failed);
    try {
      // What is recorded stays in place; only the news is dropped.
      const planned = this.#planOnce(request, format, undefined, options);
      return { ...common, ...planned, reason: 'no-place' };
    } catch {
      const lost = this.#state.ledger.entries.size > 0;
      return { ...common, request, plan: undefined, reason: lost ? 'prefix-lost' : 'no-place' };
    }
  }

  /** Plans and records in one step, with nothing waited for in between. */
  #planOnce<Request>(
    request: Request,
    format: RequestFormat<Request>,
    forced: InForce | undefined,
    { record: isRecorded = true, isHeld = false }: PrepareCallOptions<Request>,
  ): Pick<Planned<Request>, 'request' | 'plan' | 'reason'> {
    const { ledger } = this.#state;
    const reading = format.read(request, (text) => this.#isBlock(text));
    const made = plan(ledger, reading, forced, {
      hash: this.#host.hash,
      read: (text) => this.#reader.said(text),
      chains: this.#host.onUse(this.#state),
    });
    const written = format.write(request, made.placements);
    if (isRecorded) record(ledger, made);
    if (isRecorded && isHeld) this.#state.hold(reliance(made));
    return { request: written, plan: made, reason: this.#host.disabled ? 'disabled' : made.reason };
  }

  #report<Request>(planned: Planned<Request>, request: Request, isRecorded: boolean): Report {
    const { observer, reports, onReport } = this.#host;
    const sentBefore = this.#state.sentTokens;
    const facts = { ...planned, conversation: this.id, request, sentBefore, isRecorded };
    let report: Report;
    try {
      report = reports.build(facts);
    } catch (error) {
      this.reportFailure(error);
      report = reports.build({ ...facts, plan: undefined, views: [] });
    }
    this.#lastReport = report;
    emitReport(observer, report);
    const onThrow = (error: unknown): void => {
      observer.emit('warn', 'report-failed', { conversation: this.id, reason: reasonOf(error) });
    };
    try {
      swallow(onReport?.(report), onThrow);
    } catch (error) {
      onThrow(error);
    }
    return report;
  }

  /**
   * Tells of options of a call that mean nothing.
   *
   * @internal
   */
  reportUnknown(call: string, options: unknown, known: Readonly<Record<string, true>>): void {
    this.#host.unknown.look(call, options, known);
  }

  /**
   * Reports a failure of ours; what failed never reaches the host's call.
   *
   * @internal
   */
  reportFailure(error: unknown): void {
    this.#host.observer.emit('error', 'injection-failed', {
      conversation: this.id,
      reason: reasonOf(error),
    });
  }
}
