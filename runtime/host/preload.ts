import type { PreparedPlan } from '../../dsl';
import { decodeEntries } from '../record/codec';
import { inherit, type Taken } from '../rules/inherit';
import type { Execution, RunStore } from '../store/port';

/**
 * What counts of the run that another one repeats, up to the step from which that is to run anew. Marks of secrets are
 * made over to the new run.
 */
export async function inheritedEntries(
  store: RunStore,
  execution: Execution,
  plan: PreparedPlan,
  earlierPlan: PreparedPlan,
  codeOf: (executionId: string) => string,
): Promise<readonly Taken[]> {
  const wanted = execution.preload;
  if (wanted === null) return [];
  const records = await store.journal(wanted.executionId);
  const texts = records.map((record) => record.json);
  const entries = await decodeEntries(texts, (hashes) => store.getPayloads(wanted.executionId, hashes));
  const taken = inherit({ plan: earlierPlan, entries }, plan, wanted.fromStep);
  return remarked(taken, codeOf(wanted.executionId), codeOf(execution.id));
}

const remarked = (entries: readonly Taken[], from: string, to: string): Taken[] =>
  JSON.parse(JSON.stringify(entries).replaceAll(`:${from}⟧`, `:${to}⟧`)) as Taken[];
