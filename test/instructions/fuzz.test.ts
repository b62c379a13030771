import { describe, expect, test } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import { clean } from '../../src/instructions/clean.js';
import { neutraliseReservedTags } from '../../src/instructions/reserved-tags.js';
import { render } from '../../src/render/render.js';
import { fuzzCap, fuzzText } from '../support/fuzz-text.js';
import { faultsOf, faultsOfBlock, holdsReservedTag } from './oracle.js';

const TEXTS = 20_000;
/** Far more than it takes; a machine may be busy. */
const TIMEOUT_MS = 600_000;

describe('of 20,000 texts made of fragments of attacks', { timeout: TIMEOUT_MS }, () => {
  test('none is admitted or rendered with a forged tag or heading, ill-formed, too long or otherwise faulty', () => {
    const faulty: unknown[] = [];
    let admitted = 0;
    let hostile = 0;
    let previous = 'the first text';
    for (let number = 0; number < TEXTS; number += 1) {
      const text = fuzzText(number);
      const maxChars = fuzzCap(number);
      const admission = admit(text, { maxChars });
      if (admission.state === 'admitted') admitted += 1;
      if (holdsReservedTag(text)) hostile += 1;
      const faults = faultsOf(admission, maxChars);
      const again = admit(admission.text, { maxChars }).text;
      if (again !== admission.text) faults.push('admitting it again changes it');
      if (admission.state === 'admitted') {
        const added = [
          { id: 'alpha', text: previous },
          { id: 'beta', text: admission.text },
        ];
        faults.push(...faultsOfBlock(render({ added }) ?? '', ['alpha', 'beta']));
        previous = admission.text;
      }
      if (faults.length > 0) faulty.push({ number, maxChars, faults, text, admitted: admission.text, again });
    }
    expect(faulty.slice(0, 3)).toEqual([]);
    // The texts must be worth judging.
    expect(admitted).toBeGreaterThan(TEXTS * 0.9);
    expect(hostile).toBeGreaterThan(TEXTS * 0.2);
  });

  test('cleaning and neutralising once is enough', () => {
    const changed: number[] = [];
    for (let number = 0; number < TEXTS; number += 1) {
      const once = neutraliseReservedTags(clean(fuzzText(number).toWellFormed()).text).text;
      if (neutraliseReservedTags(clean(once).text).text !== once) changed.push(number);
    }
    expect(changed).toEqual([]);
  });
});
