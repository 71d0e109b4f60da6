import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from '@photostructure/sqlite';
import { assertStore, FILE } from './environment';

/** Pages that are copied at a time; others have their turn in between. */
const PAGES_AT_ONCE = 512;

/** How much of a copy is done, in pages. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Copies the store of a folder into a new file: the state at one instant, with everything that was committed before it,
 * whether a process serves the folder or not. While it lasts the log of the store grows, as with any long read.
 * @throws Error when there is no store, or the copy cannot be made; what is left of it is then of no use
 */
export async function copyStore(dir: string, to: string, progress: (done: CopyProgress) => void): Promise<void> {
  const file = join(dir, FILE);
  if (!existsSync(file)) throw new Error(`there is no store in ${dir}`);
  const source = new DatabaseSync(file);
  try {
    assertStore(source);
    // SQLite begins a copy anew when others write meanwhile, unless the connection that it reads by stands in one state.
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

/** Looks at every page of a file of a store (SQLite's integrity check). @throws Error naming the first fault */
export function checkStoreFile(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    assertStore(db);
    const said = Object.values(db.prepare('PRAGMA integrity_check(1)').get() as Record<string, unknown>)[0];
    if (said !== 'ok') throw new Error(`${file} is damaged: ${String(said)}`);
  } finally {
    db.close();
  }
}
