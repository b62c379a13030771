import { cpus } from 'node:os';

/** What all processors of the machine did since it started, in ms. */
export interface ProcessorTimes {
  readonly idle: number;
  readonly total: number;
}

/** Reads them. */
export function readProcessorTimes(): ProcessorTimes {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, total };
}
