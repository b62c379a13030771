import { notExpected } from './errors.js';
import { showText } from './instructions/show-text.js';
import { showValue } from './instructions/show-value.js';
import { checkPassedIn } from './options/passed-in.js';
import type { Options, Settings } from './options/settings.js';
import { type SettingRow, settingTable, type TabledSettings } from './options/table.js';
import type { IgnoredSetting } from './options/values.js';
import { kindOf } from './values.js';

export type { Options, Settings } from './options/settings.js';
export type { TrustPolicy } from './options/values.js';

/** What {@link resolveSettings} made of its input. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** Variables that hold something not accepted, in the order of the table. */
  readonly ignored: readonly IgnoredSetting[];
  /** Keys of `options` that mean nothing here, safe to print. */
  readonly unknown: readonly string[];
}

/**
 * Option, else environment variable, else default.
 *
 * @param options what the host passed
 * @param environment the variables, such as `process.env`; an empty one counts as unset
 * @throws InstructionsError `INVALID_OPTION` naming the field, what was expected and what came. The servers themselves are
 *   checked where they are used
 */
export function resolveSettings(
  options: Options | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedSettings {
  const given: unknown = options ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw notExpected('INVALID_OPTION', 'options', 'an object', kindOf(given));
  }
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(given));
  const ignored: IgnoredSetting[] = [];
  const read = <Name extends keyof TabledSettings>(name: Name): TabledSettings[Name] =>
    resolveRow(name, settingTable[name], fields, environment, ignored);
  const settings: Settings = Object.freeze({
    maxChars: read('maxChars'),
    maxTokens: read('maxTokens'),
    maxTotalChars: read('maxTotalChars'),
    maxTotalTokens: read('maxTotalTokens'),
    firstTurnWaitMs: read('firstTurnWaitMs'),
    connectTimeoutMs: read('connectTimeoutMs'),
    unavailableGraceMs: read('unavailableGraceMs'),
    protocol: read('protocol'),
    disabled: read('disabled'),
    logLevel: read('logLevel'),
    ...checkPassedIn(fields),
  });
  const unknown = [...fields.keys()]
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => showText(key));
  return { settings, ignored, unknown };
}

function resolveRow<Name extends keyof TabledSettings>(
  option: Name,
  { variable, kind, fallback }: SettingRow<Name>,
  fields: ReadonlyMap<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
  ignored: IgnoredSetting[],
): TabledSettings[Name] {
  const text = environment[variable];
  const fromVariable = text ? kind.fromText(text) : undefined;
  if (text && fromVariable === undefined) {
    ignored.push({ variable, value: showText(text), accepted: kind.accepted });
  }
  const value = fields.get(option);
  if (value === undefined) return fromVariable ?? fallback;
  const fromOption = kind.fromValue(value);
  if (fromOption === undefined) throw notExpected('INVALID_OPTION', option, kind.expected, showValue(value));
  return fromOption;
}
