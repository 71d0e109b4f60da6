import { rmSync, statSync, writeFileSync } from 'node:fs';
import { CliError } from './exits';

/** Locks are held for milliseconds; after this time the holder is dead. */
const DEAD_MS = 5_000;
const AGAIN_MS = 20;
const MAX_WAIT_MS = 2 * DEAD_MS;

/**
 * Runs work under a lock file; waits for other holders.
 * @throws CliError (refused) when the lock cannot be acquired
 */
export function underLock<T>(path: string, action: () => T): T {
  const until = performance.now() + MAX_WAIT_MS;
  while (!taken(path)) {
    if (performance.now() > until) throw new CliError('refused', `the lock file ${path} still exists; remove it`);
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
