import type { CommandContext } from './command.js';
import { converse } from './demo/conversation.js';
import { loadAnthropic } from './demo/load-anthropic.js';
import type { RecordedRequest } from './demo/messages-endpoint.js';
import { answers } from './demo/script.js';
import { setStage } from './demo/stage.js';
import { exitCodes } from './exit-codes.js';
import { firstTurn } from './first-turn.js';

const INTRODUCTION = `Two MCP servers and a late one, the Anthropic SDK with the middleware, and an endpoint on
loopback that answers from a script. Lines behind "|" are sent exactly so.`;

/** `demo`: a whole conversation, on servers and an endpoint of its own. */
export async function demo({ terminal, signal }: CommandContext): Promise<number> {
  const Anthropic = await loadAnthropic();
  const stage = await setStage(answers, signal);
  try {
    await Promise.all([stage.connected('docs'), stage.connected('tickets')]);
    // From here on every text is counted before its request.
    await firstTurn(stage.injector);
    terminal.out(INTRODUCTION);
    const claude = new Anthropic({ apiKey: 'none', baseURL: stage.endpoint.url, logLevel: 'off' });
    const kept = await converse(claude, stage, terminal);
    const { requests } = stage.endpoint;
    const isStable = repeatsItself(requests);
    const isClean = !JSON.stringify(kept).includes('system-reminder');
    terminal.out('');
    terminal.out(`Every request repeats the messages before it byte for byte: ${yes(isStable)}`);
    terminal.out(`The host's own messages hold no block: ${yes(isClean)}`);
    return isStable && isClean ? exitCodes.ok : exitCodes.failed;
  } finally {
    await stage.close();
  }
}

function yes(isSo: boolean): string {
  return isSo ? 'yes' : 'NO';
}

/** Whether each request starts with all messages of the one before it. */
function repeatsItself(requests: readonly RecordedRequest[]): boolean {
  return requests.every((request, index) => {
    const before = requests[index - 1]?.body.messages ?? [];
    return JSON.stringify(before) === JSON.stringify(request.body.messages.slice(0, before.length));
  });
}
