import { estimate, maxTokensPerByte } from './calibration.js';
import type { Figure } from './count.js';
import type { Profile } from './features.js';
import { calibrationOf, type ModelFamily } from './model-family.js';

/** Claude's tokens by those of o200k, over all texts and families of the calibration, with some room. */
const leastByO200k = 0.7;
const mostByO200k = 2.75;
/** Tokens by a third of the bytes, the same way. */
const leastByThird = 0.5;
const mostByThird = 1.75;

/** Figures of every block and server are asked for at every request. */
const known = new WeakMap<Profile, Map<ModelFamily, Figure>>();

/**
 * The figure of a text whose profile is known.
 *
 * @param profile what the text is made of
 * @param family the family of the model that reads it
 */
export function figureOf(profile: Profile, family: ModelFamily): Figure {
  let figures = known.get(profile);
  if (figures === undefined) {
    figures = new Map();
    known.set(profile, figures);
  }
  let figure = figures.get(family);
  if (figure === undefined) {
    figure = makeFigure(profile, family);
    figures.set(family, figure);
  }
  return figure;
}

function makeFigure(profile: Profile, family: ModelFamily): Figure {
  const { tokens, bytes } = profile;
  if (family === 'o200k') return { tokens, method: 'counted', low: tokens, high: tokens, calibration: null };
  const calibration = calibrationOf(family);
  if (calibration !== undefined) {
    return { ...estimate(calibration, profile), method: 'calibrated', calibration: calibration.name };
  }
  return {
    tokens,
    method: 'estimated',
    low: Math.floor(tokens * leastByO200k),
    high: Math.max(tokens, Math.min(Math.ceil(tokens * mostByO200k), Math.ceil(bytes * maxTokensPerByte))),
    calibration: null,
  };
}

/**
 * The figure of a text that could not be looked at yet.
 *
 * @param bytes its length in UTF-8
 * @param part a whole block, or a section of one: the sections of a block together are not to exceed it by rounding
 */
export function roughFigure(bytes: number, part: 'block' | 'section'): Figure {
  const tokens = part === 'block' ? Math.ceil(bytes / 3) : Math.floor(bytes / 3);
  return {
    tokens,
    method: 'rough',
    low: Math.floor(tokens * leastByThird),
    high: Math.ceil(tokens * mostByThird),
    calibration: null,
  };
}
