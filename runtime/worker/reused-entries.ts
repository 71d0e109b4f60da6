import type { PreparedPlan } from '../../dsl';
import { decodeEntries } from '../core/entries/codec';
import { reusableEntries, type ReusedEntry } from '../core/reuse/reuse';
import type { Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';

/**
 * The entries that a run reuses from the run that it repeats. Placeholders of secrets are rewritten for the new run.
 */
export async function reusedEntries(
  store: RunStore,
  execution: Execution,
  plan: PreparedPlan,
  earlierPlan: PreparedPlan,
  codeOf: (executionId: string) => string,
): Promise<readonly ReusedEntry[]> {
  const source = execution.resumeFrom;
  if (source === null) return [];
  const records = await store.journal(source.executionId);
  const texts = records.map((record) => record.json);
  const entries = await decodeEntries(texts, (hashes) => store.getPayloads(source.executionId, hashes));
  const reused = reusableEntries({ plan: earlierPlan, entries }, plan, source.fromStep, source.onlyUnchanged);
  return withPlaceholdersOf(reused, codeOf(source.executionId), codeOf(execution.id));
}

const withPlaceholdersOf = (entries: readonly ReusedEntry[], from: string, to: string): ReusedEntry[] =>
  JSON.parse(JSON.stringify(entries).replaceAll(`:${from}⟧`, `:${to}⟧`)) as ReusedEntry[];
