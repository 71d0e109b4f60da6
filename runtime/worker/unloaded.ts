import type { Entry, EndStatus, JournalRecord, RunError } from '../core/entries/entry';
import { addRecord, emptySurvey, type Survey } from '../core/entries/survey';
import { outboxOf } from '../core/decide/ending';
import { claimOf, type Ending, type Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';

/** Records per read. */
const RECORDS_PER_READ = 16;

/** Surveys a history in parts, however long it is. `pause`: a promise while other work must run first. */
export async function surveyOf(
  store: Pick<RunStore, 'journal'>,
  id: string,
  pause: () => Promise<void> | null,
): Promise<Survey> {
  const survey = emptySurvey();
  for (;;) {
    const records = await store.journal(id, survey.n + 1, RECORDS_PER_READ);
    for (const record of records) {
      for (let wait = pause(); wait !== null; wait = pause()) await wait;
      addRecord(survey, record);
    }
    if (records.length < RECORDS_PER_READ) return survey;
  }
}

/** Ends a claimed run without loading it; open steps are cancelled, not compensated. Null when the claim is lost. */
export async function endUnloaded(
  store: Pick<RunStore, 'end'>,
  execution: Execution,
  survey: Survey,
  end: { readonly now: number; readonly status: EndStatus; readonly error: RunError | null },
): Promise<Ending | null> {
  const { id, owner, epoch, startedAt } = execution;
  const { now, status, error } = end;
  const cancelled = [...survey.open].reverse().map((path): Entry => ({ kind: 'step.cancelled', path, at: now }));
  const entries: Entry[] = [...cancelled, { kind: 'run.ended', at: now, status, output: null, error }];
  const tail: JournalRecord = {
    executionId: id,
    n: survey.n + 1,
    epoch,
    host: owner as string,
    at: now,
    before: survey.entries,
    json: JSON.stringify(entries),
  };
  const { stepsRun: steps, tokens, costUsd } = survey;
  const ending = { status, startedAt, endedAt: now, output: null, error, response: null, steps, tokens, costUsd };
  const whole: Ending = { ...ending, outbox: outboxOf(execution, ending, survey, true) };
  return (await store.end(claimOf(execution), whole, tail)) ? whole : null;
}
