import { describe, expect, it } from 'vitest';
import { calibrationOf, familyOf } from '../../src/cost/model-family.js';

describe('model family', () => {
  it.each([
    ['claude-3-opus-20240229', 'claude-3'],
    ['claude-3-5-sonnet-20241022', 'claude-3'],
    ['claude-3-7-sonnet-latest', 'claude-3'],
    ['claude-sonnet-4-20250514', 'claude-3'],
    ['claude-opus-4-1-20250805', 'claude-3'],
    ['claude-sonnet-4-5@20250929', 'claude-3'],
    ['us.anthropic.claude-opus-4-6-v1:0', 'claude-3'],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-3'],
    ['claude-opus-4-7', 'claude-5'],
    ['anthropic/claude-opus-4.7', 'claude-5'],
    ['claude-opus-4-10', 'claude-5'],
    ['claude-opus-5', 'claude-5'],
    ['claude-opus-5-5', 'claude-5'],
    ['Claude-Sonnet-5-20261001', 'claude-5'],
    ['claude-opus-6', 'unknown'],
    ['claude-2.1', 'unknown'],
    ['claude-instant-1.2', 'unknown'],
    ['claude', 'unknown'],
    ['gpt-4o-mini', 'o200k'],
    ['ft:gpt-4o-2024-08-06:acme::x', 'o200k'],
    ['openai/gpt-4.1', 'o200k'],
    ['gpt-5-nano', 'o200k'],
    ['gpt-oss-120b', 'o200k'],
    ['chatgpt-4o-latest', 'o200k'],
    ['o1', 'o200k'],
    ['o4-mini', 'o200k'],
    ['gpt-4-turbo', 'unknown'],
    ['gpt-3.5-turbo', 'unknown'],
    ['o1x', 'unknown'],
    ['gemini-3-pro', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
  ] as const)('of %s is %s', (model, family) => {
    expect(familyOf(model)).toBe(family);
  });

  it('has a calibration that names it, for Claude alone', () => {
    expect(calibrationOf('claude-3')?.name).toMatch(/^claude-3\/\d{4}-\d{2}$/);
    expect(calibrationOf('claude-5')?.name).toMatch(/^claude-5\/\d{4}-\d{2}$/);
    expect(calibrationOf('o200k')).toBeUndefined();
    expect(calibrationOf('unknown')).toBeUndefined();
  });
});
