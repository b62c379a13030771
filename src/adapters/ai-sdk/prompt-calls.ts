import { notExpected } from '../../errors.js';
import type { PromptRequest } from '../../formats/ai-sdk-prompt.js';
import type { RequestFormat } from '../../formats/request-format.js';
import type { CallPreparer, PreparedCall } from '../../injector/prepared.js';
import { isObject, isPlain, kindOf } from '../../values.js';
import { isConversation } from '../shared/check-arguments.js';
import { PromptCopy } from './prompt-copy.js';

/** The part of a call's parameters that is used, by shape. */
interface Params {
  readonly prompt: PromptRequest['prompt'];
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** One step of a call, over all its attempts. */
interface Step {
  readonly conversation: CallPreparer;
  /** The prompt as it came. */
  readonly prompt: PromptRequest['prompt'];
  /** What it held then. */
  readonly copy: PromptCopy;
  readonly prepared: PreparedCall<PromptRequest>;
}

/** The key of our options among those of providers. */
const OPTIONS = 'mcpInstructions';

function isPreparer(value: unknown): value is CallPreparer {
  return isConversation(value, 'prepareCall');
}

/**
 * The conversation that a call brings along.
 *
 * @throws InstructionsError `INVALID_OPTION` for anything else in its place: the middleware's own conversation may be told about servers that
 *   the call's must not be told about, and a call without a block would go unnoticed
 */
function conversationIn({ providerOptions }: Params): CallPreparer | undefined {
  const options = providerOptions?.[OPTIONS];
  if (options === undefined) return undefined;
  const conversation = isObject(options) ? options['conversation'] : options;
  if (isPreparer(conversation)) return conversation;
  throw notExpected(
    'INVALID_OPTION',
    `providerOptions.${OPTIONS}`,
    'what `forConversation(conversation)` gives',
    isObject(options) ? `a conversation that is ${kindOf(conversation)}` : kindOf(options),
  );
}

/** The parameters without our options, which are for no provider. */
function withoutOptions<Given extends Params>(params: Given): Given {
  const { providerOptions } = params;
  if (providerOptions === undefined || !(OPTIONS in providerOptions)) return params;
  const { [OPTIONS]: _ours, ...others } = providerOptions;
  return { ...params, providerOptions: others };
}

/** The input tokens in a usage of the AI SDK's: a number, or an object with a `total`. */
function inputTokens(usage: unknown): number | undefined {
  const input = isObject(usage) ? usage['inputTokens'] : undefined;
  const total = isObject(input) ? input['total'] : input;
  return typeof total === 'number' ? total : undefined;
}

/** The calls of models that one middleware is in. */
export class PromptCalls {
  readonly #format: RequestFormat<PromptRequest>;
  /** By the prompt as it came: the SDK makes one for each step, and every attempt of the step has the same. */
  readonly #steps: WeakMap<object, Step> = new WeakMap();
  /** By the parameters that were given back, which the attempt is made with. */
  readonly #attempts: WeakMap<object, Step> = new WeakMap();

  constructor(format: RequestFormat<PromptRequest>) {
    this.#format = format;
  }

  /**
   * Puts what the model must know into a prompt.
   *
   * @param params not changed
   * @param model the id of the model
   * @param bound whose call it is, unless it says so itself
   * @throws InstructionsError `INVALID_OPTION` when it says so wrongly
   */
  async begin<Given extends Params>(
    params: Given,
    model: string,
    bound: CallPreparer | undefined,
  ): Promise<Given> {
    const conversation = conversationIn(params) ?? bound;
    const plain = withoutOptions(params);
    // A copy of an instance of a class would be another thing.
    if (conversation === undefined || !isPlain(params)) return plain;
    let step: Step | undefined;
    try {
      step = await this.#step(params, model, conversation);
    } catch (error) {
      conversation.reportFailure(error);
    }
    if (step === undefined) return plain;
    const ready = { ...plain, prompt: step.prepared.request.prompt };
    this.#attempts.set(ready, step);
    return ready;
  }

  /**
   * Makes an attempt and says what became of it.
   *
   * @param params what {@link PromptCalls.begin} gave
   * @param run the attempt
   */
  async attempt<Result>(params: object, run: () => PromiseLike<Result>): Promise<Result> {
    const step = this.#attempts.get(params);
    if (step === undefined) return await run();
    const { prepared } = step;
    prepared.again();
    let isDone = false;
    try {
      const result = await run();
      isDone = true;
      return result;
    } finally {
      prepared.release();
      if (isDone) {
        this.#steps.delete(step.prompt);
        await prepared.commit();
      } else prepared.discard();
    }
  }

  /** Says what an attempt sent in all. */
  used(params: object, usage: unknown): void {
    const tokens = inputTokens(usage);
    if (tokens !== undefined) this.#attempts.get(params)?.prepared.used({ input_tokens: tokens });
  }

  /** The same stream; what was sent in all is read from it as it passes. */
  watch<Part>(params: object, stream: ReadableStream<Part>): ReadableStream<Part> {
    if (!this.#attempts.has(params)) return stream;
    return stream.pipeThrough(
      new TransformStream<Part, Part>({
        transform: (part, controller) => {
          controller.enqueue(part);
          if (isObject(part) && part['type'] === 'finish') this.used(params, part['usage']);
        },
      }),
    );
  }

  async #step(params: Params, model: string, conversation: CallPreparer): Promise<Step> {
    const known = this.#steps.get(params.prompt);
    if (known?.conversation === conversation && known.copy.isOf(params.prompt)) return known;
    const { prompt, abortSignal: signal } = params;
    const copy = new PromptCopy(prompt);
    const request: PromptRequest = { prompt, model };
    const prepared = await conversation.prepareCall(request, { format: this.#format, signal });
    const step = { conversation, prompt, copy, prepared };
    this.#steps.set(prompt, step);
    return step;
  }
}
