import { errorCode, makeFailure } from './failure.js';
import { type FetchTrace, watchFetch } from './http-fetch.js';
import type { Link } from './link.js';
import type { Sdk } from './sdk.js';
import type { CheckedHttpServer } from './server-options.js';
import type { Failure } from './server-state.js';

/** How long the server gets to hear that its session ends, in ms. */
const goodbyeMs = 1_000;

/** A link over Streamable HTTP, or over the older SSE transport. */
export function openHttpLink(config: CheckedHttpServer, kind: 'http' | 'sse', sdk: Sdk): Link {
  const lifetime = new AbortController();
  const trace: FetchTrace = { status: undefined, code: undefined, hasFailed: false, hasOverflowed: false };
  let lose: (failure: Failure) => void = () => {};
  const lost = new Promise<Failure>((resolve) => {
    lose = resolve;
  });
  const fetch = watchFetch(config.fetch ?? globalThis.fetch, lifetime.signal, trace, {
    onUnreachable: (code) => lose(unreachable(code)),
    onOverflow: () => lose(tooLarge()),
    onStreamEnd: () => {
      // The SSE transport hears its server only over this stream; Streamable HTTP opens another by itself.
      if (kind === 'sse' && !lifetime.signal.aborted)
        lose(makeFailure('connection-lost', 'the event stream ended'));
    },
  });
  const options = {
    fetch,
    requestInit: { headers: Object.fromEntries(config.headers) },
    ...(config.authProvider === undefined ? {} : { authProvider: config.authProvider }),
  };
  const url = new URL(config.url);
  const transport =
    kind === 'sse'
      ? new sdk.SSEClientTransport(url, { ...options, eventSourceInit: { fetch } })
      : new sdk.StreamableHTTPClientTransport(url, options);
  // An SSE transport and a client that the host closes both end here.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no other way
  transport.onclose = () => lose(makeFailure('connection-lost', 'the connection was closed'));
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    if ('terminateSession' in transport && transport.sessionId !== undefined) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, goodbyeMs);
      });
      await Promise.race([transport.terminateSession().catch(() => {}), patience]);
      clearTimeout(timer);
    }
    await transport.close().catch(() => {});
    lifetime.abort();
  }

  return {
    kind,
    transport,
    lost,
    explain: (error) => explain(error, trace, sdk),
    confirm: async () => {},
    close() {
      closing ??= end();
      return closing;
    },
  };
}

function explain(error: unknown, trace: FetchTrace, sdk: Sdk): Failure {
  if (trace.hasOverflowed) return tooLarge();
  const status = statusOf(error, sdk) ?? trace.status;
  if (status === 401 || status === 403 || sdk.UnauthorizedError.isInstance(error))
    return makeFailure('unauthorized', `the server wants credentials (HTTP ${status ?? 401})`, {
      status: status ?? 401,
    });
  if (trace.hasFailed) return unreachable(trace.code ?? errorCode(error));
  if (status !== undefined && (status < 200 || status > 299))
    return makeFailure('http-status', `the server answered HTTP ${status}`, { status });
  return makeFailure('protocol-error', 'the server gave no usable answer', { status });
}

function statusOf(error: unknown, sdk: Sdk): number | undefined {
  if (sdk.SdkHttpError.isInstance(error)) return error.status;
  if (sdk.SseError.isInstance(error)) return error.code;
  return undefined;
}

function unreachable(code: string | undefined): Failure {
  return makeFailure(
    'unreachable',
    `the server could not be reached${code === undefined ? '' : ` (${code})`}`,
    { code },
  );
}

function tooLarge(): Failure {
  return makeFailure('too-large', 'a response was over 10 MiB');
}
