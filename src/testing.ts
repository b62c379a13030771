import type { RequestFormat } from './formats/request-format.js';
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
 */
export function requestFormatContract<Request>(subject: ContractSubject<Request>): readonly ContractCheck[] {
  return formatChecks(subject);
}
