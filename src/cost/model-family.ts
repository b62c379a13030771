import { calibrations } from './calibration-data.js';
import type { Calibration } from './calibration.js';

/**
 * Models that count alike: `claude-3` (Claude 3 to 4.6), `claude-5` (Claude 4.7 and 5), `o200k` (OpenAI models with the
 * o200k encoding), `unknown` (all others).
 */
export type ModelFamily = 'claude-3' | 'claude-5' | 'o200k' | 'unknown';

/** Names with the version after the tier (`claude-sonnet-4-5-20250929`) or before it (`claude-3-5-haiku`). */
const claude = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/;
const openai = /(?:^|[/:])(?:gpt-(?:4o|4\.1|4\.5|5|oss)|chatgpt-4o|o[134])(?![\da-z])/;

/**
 * Tells how a model counts tokens, by its name: as the API takes it, or as Bedrock, Vertex and gateways write it.
 *
 * @param model the request's model; `null` when it names none
 */
export function familyOf(model: string | null): ModelFamily {
  const name = model?.toLowerCase() ?? '';
  const version = claude.exec(name);
  if (version !== null) {
    const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
    if (major === 3 || (major === 4 && minor < 7)) return 'claude-3';
    return major === 4 || major === 5 ? 'claude-5' : 'unknown';
  }
  return openai.test(name) ? 'o200k' : 'unknown';
}

/**
 * The calibration of a model family.
 *
 * @param family a model family
 * @returns its calibration; `undefined` where there is none
 */
export function calibrationOf(family: ModelFamily): Calibration | undefined {
  return family === 'claude-3' || family === 'claude-5' ? calibrations[family] : undefined;
}
