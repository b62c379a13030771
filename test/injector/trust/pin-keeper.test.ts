import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { BackgroundWork } from '../../../src/injector/background-work.js';
import { Trust } from '../../../src/injector/trust.js';
import type { PinFiles } from '../../../src/injector/trust/pin-keeper.js';
import { ManualClock } from '../../servers/support/manual-clock.js';
import { recordingObserver } from '../../observe/recording-observer.js';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const subject = { id: 'docs', identity: 'i', era: null, others: [], text: 'Hello.', sha256: hash('Hello.') };

/** A file on a disk that answers when it is told to. */
class Disk {
  text: string | undefined;
  isAway = false;
  calls = 0;
  #wake: (() => void)[] = [];

  readonly files = async (): Promise<PinFiles> => ({
    versionOf: async () => await this.#answer(() => `${this.text}`),
    readPinFile: async () => await this.#answer(() => ({ text: this.text, version: `${this.text}` })),
    updatePinFile: async (_, change) => {
      await this.#answer(() => {
        this.text = change(this.text) ?? this.text;
      });
    },
  });

  comeBack(): void {
    this.isAway = false;
    for (const wake of this.#wake.splice(0)) wake();
  }

  async #answer<Value>(answer: () => Value): Promise<Value> {
    this.calls += 1;
    if (this.isAway) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return answer();
  }
}

/** Lets everything happen that waits for no timer. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

function open(policy: 'pinned' | 'first-use' = 'pinned') {
  const disk = new Disk();
  const clock = new ManualClock();
  const observer = recordingObserver();
  const work = new BackgroundWork(clock);
  const start = () => new Trust(policy, 'pins.json', { hash, observer, clock, work, files: disk.files });
  return { disk, clock, observer, work, start };
}

test('a disk that does not answer is waited for once, said once, and asked again when it is back', async () => {
  const { disk, clock, observer, work, start } = open();
  disk.isAway = true;
  const trust = start();
  await settle();
  expect(trust.compare(subject)).toBe('unknown');
  expect(work.isBusy).toBe(true);
  clock.advance(5_000);
  await settle();
  expect(trust.compare(subject)).toBe('pins-failed');
  for (let request = 0; request < 5; request += 1) {
    clock.advance(1_000);
    trust.look();
    await settle();
    expect(work.isBusy).toBe(false);
  }
  expect(await trust.approved(subject)).toBeUndefined();
  await expect(trust.approve(subject)).rejects.toMatchObject({
    code: 'PINS_FAILED',
    message: expect.stringContaining('got timed-out; the disk that it is on does not answer') as string,
  });
  expect(disk.calls).toBe(1);
  expect(observer.events.filter(({ fields }) => fields['reason'] === 'not-read')).toHaveLength(1);

  disk.comeBack();
  await settle();
  clock.advance(1_000);
  trust.look();
  await settle();
  expect(trust.compare(subject)).toBe('new');
  await trust.approve(subject);
  expect(trust.compare(subject)).toBe('approved');
});

test('reviews that come while it is read end together, and later ones at once', async () => {
  const { disk, clock, start } = open();
  disk.isAway = true;
  const trust = start();
  const reviews = Promise.all([1, 2, 3].map(() => trust.approved(subject)));
  await settle();
  clock.advance(5_000);
  await settle();
  expect(await reviews).toEqual([undefined, undefined, undefined]);
  expect(await trust.approved(subject)).toBeUndefined();
  expect(disk.calls).toBe(1);
});

test('what was said not to be saved is not saved later', async () => {
  const { disk, clock, start } = open();
  const trust = start();
  await settle();
  disk.isAway = true;
  const saving = trust.approve(subject).catch((error: unknown) => error);
  await settle();
  clock.advance(10_000);
  expect(await saving).toMatchObject({ code: 'PINS_FAILED' });
  disk.comeBack();
  await settle();
  expect(disk.text).toBeUndefined();
});

test('requests in the meantime start no second look', async () => {
  const { disk, clock, start } = open();
  disk.isAway = true;
  const trust = start();
  for (let request = 0; request < 3; request += 1) {
    await settle();
    clock.advance(1_000);
    trust.look();
  }
  await settle();
  expect(disk.calls).toBe(1);
});
