import { cleanEvent } from '../../src/observe/clean-event.js';
import { findEvent } from '../../src/observe/events.js';
import type { EventFields, Observer } from '../../src/observe/observer.js';

/** One event as it was emitted. */
export interface RecordedEvent {
  readonly level: string;
  readonly event: string;
  readonly fields: EventFields;
}

/** An observer for tests: keeps what was emitted, and what of it the table of events does not allow. */
export interface RecordingObserver extends Observer {
  readonly events: readonly RecordedEvent[];
  /** Unknown events, wrong levels, fields that the log would drop. A test that is done expects it to be empty. */
  readonly problems: readonly string[];
  /** Those of one name. */
  named(event: string): readonly RecordedEvent[];
}

export function recordingObserver(): RecordingObserver {
  const events: RecordedEvent[] = [];
  const problems: string[] = [];
  return {
    events,
    problems,
    named: (name) => events.filter(({ event }) => event === name),
    emit: (level, event, fields = {}) => {
      events.push({ level, event, fields });
      problems.push(...problemsOf(level, event, fields));
    },
  };
}

function problemsOf(level: string, event: string, fields: EventFields): string[] {
  const definition = findEvent(event);
  if (!definition) return [`${event}: no such event`];
  const problems = cleanEvent(definition, fields).dropped.map((name) => `${event}: field ${name} is dropped`);
  return definition.level === level
    ? problems
    : [`${event}: level ${level}, not ${definition.level}`, ...problems];
}
