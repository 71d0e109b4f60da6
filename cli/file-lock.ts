import { rmSync, statSync, writeFileSync } from 'node:fs';
import { CliError } from './exits';

/** Held for a few milliseconds; after so long its holder has died. */
const DEAD_MS = 5_000;
const AGAIN_MS = 20;
const PATIENCE_MS = 2 * DEAD_MS;

/**
 * Does something that one process alone may do at a time, in the name of a lock file; waits for the others.
 * @throws CliError (refused) when the lock cannot be had
 */
export function underLock<T>(path: string, action: () => T): T {
  const until = performance.now() + PATIENCE_MS;
  while (!taken(path)) {
    if (performance.now() > until) throw new CliError('refused', `${path} does not go away; remove it`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
  }
  try {
    return action();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > DEAD_MS) rmSync(path, { force: true });
    return false;
  }
}
