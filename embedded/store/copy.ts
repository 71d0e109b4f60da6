import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from '../../lib/sqlite';
import { assertStore, FILE, openingError, StoreError } from './data-file';

/** Pages copied before the copy yields. */
const PAGES_AT_ONCE = 512;

/** Progress of a copy, in pages. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Copies a folder's store into a new file: a consistent state with everything committed before, also while a process
 * serves the folder. The store's log grows meanwhile, as with any long read.
 * @throws Error when there is no store, or the copy fails; an incomplete copy is unusable
 */
export async function copyStore(dir: string, to: string, progress: (done: CopyProgress) => void): Promise<void> {
  const file = join(dir, FILE);
  if (!existsSync(file)) throw new Error(`there is no store in ${dir}`);
  const source = new DatabaseSync(file);
  try {
    assertStore(source, file);
    // SQLite restarts a copy after concurrent writes, unless its source connection holds a read transaction.
    source.exec('PRAGMA query_only = ON; BEGIN');
    source.prepare('SELECT 1 FROM meta LIMIT 1').get();
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => progress({ done: totalPages - remainingPages, total: totalPages }),
    });
    source.exec('COMMIT');
  } finally {
    source.close();
  }
}

/** Checks every page of a store's file (SQLite's integrity check). @throws StoreError naming the first fault */
export function checkStoreFile(file: string): void {
  const [fault] = storeFileFaults(file, 1);
  if (fault !== undefined) throw new StoreError('damaged', `${file} is damaged: ${fault}`);
}

/** The first faults of SQLite's integrity check. @throws StoreError when the file cannot be opened */
export function storeFileFaults(file: string, limit: number): string[] {
  const faults: string[] = [];
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    assertStore(db, file);
    for (const row of db.prepare(`PRAGMA integrity_check(${limit})`).iterate())
      faults.push(...String(Object.values(row as Record<string, unknown>)[0]).split('\n'));
  } catch (error) {
    const fault = openingError(error, file);
    // After a badly damaged page the check itself fails, after the rows that name the page.
    if (fault.kind !== 'damaged' || faults.length === 0) throw fault;
  } finally {
    db.close();
  }
  return faults.filter((line) => line !== 'ok' && !line.startsWith('***')).slice(0, limit);
}
