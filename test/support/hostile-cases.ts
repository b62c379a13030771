import cases from '../fixtures/hostile-inputs.json' with { type: 'json' };

/** One case of `test/fixtures/hostile-inputs.json`. */
export interface HostileCase {
  readonly id: string;
  readonly class: string;
  readonly target?: string;
  readonly input: unknown;
  readonly expect: { readonly assert: Readonly<Record<string, unknown>> };
}

export const hostileCases: readonly HostileCase[] = cases;

interface Part {
  readonly text?: string;
  readonly repeat?: string;
  readonly times?: number;
}

function has<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

/** The value that a case sends: generated inputs written out, everything else as it is. */
export function inputOf({ input }: HostileCase): unknown {
  if (!has(input, '$gen') || !Array.isArray(input.$gen)) return input;
  return input.$gen.map((part: Part) => part.text ?? part.repeat?.repeat(part.times ?? 0) ?? '').join('');
}

/** Cases about several servers, or about a sequence in time: one text alone says nothing about them. */
export function isAboutOneText({ input, target }: HostileCase): boolean {
  return target === undefined && !has(input, '$servers') && !has(input, '$sequence');
}
