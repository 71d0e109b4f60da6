import type { ResultOf } from '../../contracts/catalogue';
import { sortedInSlices } from '../../lib/sliced-sort';
import { mapSliced, runSliced } from '../../lib/time-slices';
import type { WorkflowRecord } from './models';

const byName = (a: string, b: string): number => a.localeCompare(b);

/** Names in their order, in slices: a tenant may have as many folders and tags as workflows. */
export const sortedNames = (names: Iterable<string>, tenantId: string): Promise<string[]> =>
  runSliced(sortedInSlices([...names], byName), tenantId);

/** The folders and tags of workflows, each with the number of its workflows, by name. */
export async function foldersOf(
  records: AsyncIterable<Pick<WorkflowRecord, 'folder' | 'tags'>>,
  tenantId: string,
): Promise<ResultOf<'workflows.folders'>> {
  const folders = new Map<string, number>();
  const tags = new Map<string, number>();
  await mapSliced(records, tenantId, (record) => {
    add(folders, record.folder ?? '');
    for (const tag of record.tags ?? []) add(tags, tag);
  });
  const counted = async <R>(counts: ReadonlyMap<string, number>, row: (name: string, workflows: number) => R) =>
    mapSliced(await sortedNames(counts.keys(), tenantId), tenantId, (name) => row(name, counts.get(name) ?? 0));
  return {
    folders: await counted(folders, (folder, workflows) => ({ folder, workflows })),
    tags: await counted(tags, (tag, workflows) => ({ tag, workflows })),
  };
}

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
