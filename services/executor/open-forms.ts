import type { WaitingForm } from '../../contracts/executions/forms';
import type { ServiceContext } from '../../mixins/service';
import { awaitedMessageName } from '../../runtime/core/decide/waits';
import type { Entry } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import { questionOfForm } from './approvals';
import type { JournalReader } from './journal-reader';
import type { StepIndexes } from './step-indexes';

/** Forms of a run in memory that are read from its journal. */
const MAX_OPEN = 1_000;

/** The forms that a run waits for, the first one first. */
export type OpenForms = (ctx: Pick<ServiceContext, 'call'>, execution: Execution) => Promise<WaitingForm[]>;

/** While a run is in memory, only its journal has its forms. */
export const openFormsOf =
  (journals: JournalReader, indexes: StepIndexes): OpenForms =>
  async ({ call }, execution) => {
    if (execution.status !== 'running') return [];
    if (execution.owner === null) return storedForms(execution);
    const { steps } = await indexes.of(call, execution);
    const waiting = [...steps.values()].filter(
      ({ step, summary }) => step.def.type === 'wait_for_form' && summary.status === 'waiting',
    );
    // The last entry of a step that waits is the one with which it began to.
    const records = waiting.slice(0, MAX_OPEN).flatMap((step) => step.records.at(-1) ?? []);
    const paths = new Set(waiting.map(({ path }) => path));
    const isWanted = (entry: Entry): boolean => entry.kind === 'step.waiting' && paths.has(entry.path);
    const entries = await journals.entriesOf(execution.id, records, isWanted, true);
    return entries.flatMap((entry) => formOfEntry(entry) ?? []);
  };

/** The forms in the document of a run that no host has in memory. One that it had no room for cannot be shown. */
const storedForms = ({ waiting }: Pick<Execution, 'waiting'>): WaitingForm[] =>
  [...waiting]
    .sort((a, b) => a.since - b.since)
    .flatMap((wait) => {
      const question = questionOfForm(wait);
      const { message: title, form: fields, page } = wait;
      if (question === null || title === undefined || fields === undefined || page === undefined) return [];
      return [{ question, title, fields, ...page }];
    });

/** The form of the entry with which a step began to wait; null for any other one. */
function formOfEntry(entry: Entry): WaitingForm | null {
  if (entry.kind !== 'step.waiting' || entry.wait.kind !== 'form') return null;
  const { path, wait, attempt, note } = entry;
  const { title, description, submit, access, form: fields } = wait;
  const name = awaitedMessageName(path, {
    kind: 'waiting',
    attempt,
    failures: 0,
    since: entry.at,
    wait,
    rerun: entry.rerun === true,
    ...(note === undefined ? {} : { note }),
  });
  const question = questionOfForm({ kind: 'form', name });
  return question === null ? null : { question, title, description, submit, access, fields };
}
