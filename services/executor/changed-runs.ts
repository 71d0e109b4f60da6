import type { Collections } from '../../runtime/mongo/collections';
import { journalId } from '../../runtime/mongo/documents';

/** A run and the number of the next journal record that its caller has not seen. */
interface KnownRun {
  readonly id: string;
  readonly next: number;
}

/** The given runs that have written this record or have ended. Uses two queries by id for any number of runs. */
export async function changedRuns(
  { journal, executions }: Pick<Collections, 'journal' | 'executions'>,
  runs: readonly KnownRun[],
): Promise<string[]> {
  if (runs.length === 0) return [];
  const byRecord = new Map(runs.map(({ id, next }) => [journalId(id, next), id]));
  const [written, ended] = await Promise.all([
    journal.find({ _id: { $in: [...byRecord.keys()] } }, { projection: { _id: 1 } }).toArray(),
    executions
      .find({ _id: { $in: runs.map(({ id }) => id) }, status: { $ne: 'running' } }, { projection: { _id: 1 } })
      .toArray(),
  ]);
  return [...new Set([...written.map(({ _id }) => byRecord.get(_id) as string), ...ended.map(({ _id }) => _id)])];
}
