import { describe, expect, it } from 'vitest';

import type { ProcessorTimes } from '../../src/servers/processor-times.js';
import { readProcessorTimes } from '../../src/servers/processor-times.js';
import { StartGate } from '../../src/servers/start-gate.js';
import { lab, manage } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** A gate with people before it. */
class Queue {
  readonly clock: ManualClock = new ManualClock();
  readonly entered: number[] = [];
  readonly leave: Array<() => void> = [];
  /** Which share of the time that passes the machine is idle. */
  idleShare = 0;
  readonly #gate: StartGate;
  #times: ProcessorTimes = { idle: 0, total: 0 };

  constructor(places: number) {
    this.#gate = new StartGate(places, this.clock, async () => () => this.#times);
  }

  enter(number: number, attempt = 1, signal = new AbortController().signal): void {
    void this.#gate.enter(signal, attempt).then((out) => {
      this.entered.push(number);
      return this.leave.push(out);
    });
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      const { idle, total } = this.#times;
      this.#times = { idle: idle + 50 * this.idleShare, total: total + 50 };
      this.clock.advance(50);
      await settle();
    }
  }
}

describe('StartGate', () => {
  it('lets so many in, and the next one when a place is given back', async () => {
    const queue = new Queue(2);
    for (const number of [1, 2, 3, 4]) queue.enter(number);
    await settle();
    expect(queue.entered).toEqual([1, 2]);
    queue.leave[0]?.();
    queue.leave[0]?.();
    await settle();
    expect(queue.entered).toEqual([1, 2, 3]);
  });

  it('on a busy machine a slow one keeps its place for half a second', async () => {
    const queue = new Queue(2);
    for (const number of [1, 2, 3, 4, 5]) queue.enter(number);
    await queue.pass(450);
    expect(queue.entered).toEqual([1, 2]);
    await queue.pass(50);
    expect(queue.entered).toEqual([1, 2, 3, 4]);
  });

  it('on a machine with power to spare those that hang hold up nobody', async () => {
    const queue = new Queue(1);
    queue.idleShare = 0.5;
    for (let number = 1; number <= 50; number += 1) queue.enter(number);
    await queue.pass(2_600);
    expect(queue.entered).toHaveLength(50);
  });

  it('who failed less comes first', async () => {
    const queue = new Queue(1);
    queue.enter(1);
    queue.enter(2, 3);
    queue.enter(3, 2);
    queue.enter(4, 3);
    queue.enter(5, 1);
    await queue.pass(2_000);
    expect(queue.entered).toEqual([1, 5, 3, 2, 4]);
  });

  it('who gives up waiting takes no place', async () => {
    const queue = new Queue(1);
    const controller = new AbortController();
    queue.enter(1);
    queue.enter(2, 1, controller.signal);
    await settle();
    controller.abort();
    await settle();
    queue.leave[0]?.();
    queue.enter(3);
    await settle();
    expect(queue.entered).toEqual([1, 2, 3]);
    queue.enter(4);
    queue.leave[1]?.();
    await settle();
    expect(queue.entered).toEqual([1, 2, 3]);
  });
});

it('the times of the processors only grow', () => {
  const before = readProcessorTimes();
  expect(before.total).toBeGreaterThan(before.idle);
  expect(readProcessorTimes().total).toBeGreaterThanOrEqual(before.total);
});

it('a server that is no process waits for no place', async () => {
  const { manager } = manage({ maxParallel: 1, clock: new ManualClock() });
  manager.add('slow', lab({ discover: 'hang', initialize: 'hang' }));
  manager.add('far', { url: 'http://127.0.0.1:9/' });
  await expect.poll(() => manager.status('far')?.state.state).toBe('unavailable');
  expect(manager.status('slow')?.settled).toBe(false);
  await manager.close();
});
