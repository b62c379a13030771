import type { RequestFormat } from './formats/request-format.js';
import { notExpected } from './errors.js';
import { isRecord, kindOf } from './values.js';
import { formatChecks } from './testing/format-checks.js';
import type { ContractCheck, ContractSubject } from './testing/subject.js';

export type { ContractCheck, ContractSubject, ScriptedTurn } from './testing/subject.js';
export type { RequestFormat };

/**
 * What every {@link RequestFormat} must hold, whatever the API. Needs no test framework: each check throws an `Error` that says
 * what went wrong.
 *
 * @param subject the format and how to write its requests
 * @returns the checks, to be run one by one, in any order
 * @throws InstructionsError `INVALID_OPTION` when the subject lacks one of its functions
 */
export function requestFormatContract<Request>(subject: ContractSubject<Request>): readonly ContractCheck[] {
  const given: unknown = subject;
  if (!isRecord(given)) throw notExpected('INVALID_OPTION', 'subject', 'an object', kindOf(given));
  for (const name of ['format', 'request', 'messages']) {
    if (typeof given[name] !== 'function')
      throw notExpected('INVALID_OPTION', `subject.${name}`, 'a function', kindOf(given[name]));
  }
  return formatChecks(subject);
}
