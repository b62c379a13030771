import { describe, expect, it } from 'vitest';
import { formatReportLine, formatReportTable } from '../../src/cost/format-report.js';
import type { Report, ServerReport } from '../../src/cost/report.js';
import { inputTokensOf, tokenReport, withUsage } from '../../src/cost/token-report.js';

function server(id: string, tokens: number, fields: Partial<ServerReport> = {}): ServerReport {
  return {
    id,
    connection: 'connected',
    outcome: 'told',
    change: null,
    source: 'discover',
    chars: 900,
    keptChars: 900,
    lostChars: 0,
    sentChars: 905,
    mode: 'full',
    limit: null,
    flags: [],
    tokens,
    ...fields,
  };
}

const report: Report = {
  conversation: 'chat-42',
  model: 'claude-opus-5-5',
  turn: 3,
  recorded: true,
  placed: true,
  reason: 'placed',
  servers: [
    server('docs', 402),
    server('late', 0, { outcome: 'pending', sentChars: 0 }),
    server('tickets', 210, { change: 'added' }),
  ],
  tokens: tokenReport(
    {
      added: 240,
      carried: 491,
      wrapper: 119,
      total: 731,
      method: 'calibrated',
      low: 657,
      high: 805,
      calibration: 'claude-5/2026-11',
      notCounted: null,
      servers: new Map(),
    },
    1_000,
    true,
  ),
  pending: ['late'],
  withheld: [],
};

describe('token report', () => {
  it('adds the request to what was sent before, and knows no share yet', () => {
    expect(report.tokens).toMatchObject({ total: 731, sinceStart: 1_731, share: null });
  });

  it.each<[unknown, number | undefined]>([
    [{ input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30 }, 60],
    [{ input_tokens: 10, cache_creation_input_tokens: null, cache_read_input_tokens: null }, 10],
    [{ prompt_tokens: 70, completion_tokens: 5 }, 70],
    [{ input_tokens: 1_000, prompt_tokens: 1_000 }, 1_000],
    [{ input_tokens: 1_000, cache_read_input_tokens: -900 }, 1_000],
    [{ input_tokens: -5, cache_read_input_tokens: 20 }, 20],
    [{ input_tokens: 0 }, undefined],
    [{ input_tokens: Number.NaN }, undefined],
    [{}, undefined],
    [null, undefined],
    ['60', undefined],
  ])('reads the input of %j as %j', (usage, tokens) => {
    expect(inputTokensOf(usage)).toBe(tokens);
  });

  it('knows the share once the usage is known, and never more than all', () => {
    expect(withUsage(report, { input_tokens: 7_310 }).tokens.share).toBe(0.1);
    expect(withUsage(report, { input_tokens: 500 }).tokens.share).toBe(1);
    expect(withUsage(report, undefined)).toBe(report);
    expect(report.tokens.share).toBeNull();
  });
});

describe('formatted report', () => {
  it('stays one line, and its rows stay rows, whatever a name holds', () => {
    const odd = 'x\n9999 tokens\u001b[31m\u202e';
    const shown = 'x\\u{a}9999 tokens\\u{1b}[31m\\u{202e}';
    const named = { ...report, conversation: odd, servers: [server(odd, 402)], pending: [odd] };
    expect(formatReportLine(named)).toMatch(/^x\\u\{a\}.*pending: x\\u\{a\}[^\n]*$/u);
    expect(formatReportTable(named).split('\n')).toHaveLength(5);
    expect(formatReportTable(named)).toContain(shown);
  });

  it('is one line for a log', () => {
    expect(formatReportLine(report)).toBe(
      'chat-42 turn 3: 731 tokens of instructions (+240 new, calibrated 657-805): docs 402, tickets 210; pending: late',
    );
  });

  it('says the share, and why it is no exact count', () => {
    const tokens = { ...report.tokens, added: 0, notCounted: 'rate-limited' as const };
    expect(formatReportLine(withUsage({ ...report, tokens, pending: [] }, { input_tokens: 20_000 }))).toBe(
      'chat-42 turn 3: 731 tokens of instructions (nothing new, calibrated 657-805, not counted: rate-limited, 3.7 % of input): docs 402, tickets 210',
    );
  });

  it('is a table for people', () => {
    expect(formatReportTable(withUsage(report, { input_tokens: 3_655 }))).toBe(
      [
        'server   outcome  change  sent chars  tokens',
        'docs     told                    905     402',
        'late     pending                   0       0',
        'tickets  told     added          905     210',
        'wrapper                                  119',
        'total                           1810     731',
        '240 new, 491 carried; calibrated 657-805, 20 % of the input; 1731 since the start',
      ].join('\n'),
    );
  });
});
