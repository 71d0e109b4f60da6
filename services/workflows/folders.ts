import type { ResultOf } from '../../contracts/catalogue';
import type { WorkflowRecord } from './models';

/** The folders and tags of workflows, each with the number of its workflows, by name. */
export function foldersOf(records: readonly Pick<WorkflowRecord, 'folder' | 'tags'>[]): ResultOf<'workflows.folders'> {
  const folders = counted(records.map(({ folder = '' }) => folder));
  const tags = counted(records.flatMap((record) => record.tags ?? []));
  return {
    folders: folders.map(([folder, workflows]) => ({ folder, workflows })),
    tags: tags.map(([tag, workflows]) => ({ tag, workflows })),
  };
}

function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}
