import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who holds a folder: a process id alone may be reused, so the time when the process began stands beside it. */
interface Owner {
  readonly pid: number;
  /** Clock ticks after boot when the process began, with the boot's id; empty where the system does not tell. */
  readonly born: string;
}

/** A held lock. */
export interface Lock {
  release(): void;
}

/** A live process owns the folder. */
export class LockedError extends Error {
  constructor(
    readonly dir: string,
    readonly pid: number,
  ) {
    super(`the data folder ${dir} is in use by process ${pid}; stop it first, or use another folder`);
    this.name = 'LockedError';
  }
}

/**
 * Takes the folder for this process: one store, one owner. The lock of a process that died is taken over.
 * @throws LockedError naming the folder and the owner when that lives
 */
export function takeLock(dir: string): Lock {
  const path = join(dir, 'owner.lock');
  const mine = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  const content = JSON.stringify({ pid: process.pid, born: birthOf(process.pid) } satisfies Owner);
  writeFileSync(mine, content, { mode: 0o600 });
  try {
    for (let attempt = 0; ; attempt++) {
      // A link appears whole or not at all, and fails when the name exists.
      if (link(mine, path)) return { release: () => rmSync(path, { force: true }) };
      const found = read(path);
      const owner = found === undefined ? undefined : parseOwner(found);
      if (attempt > 10 || (owner !== undefined && isAlive(owner))) throw new LockedError(dir, owner?.pid ?? 0);
      if (found !== undefined) removeStale(path, found);
    }
  } finally {
    unlinkSync(mine);
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead owner's lock away; should another have replaced it in between, that one is put back. */
function removeStale(path: string, content: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== content) link(aside, path);
  rmSync(aside, { force: true });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined;
    return { pid: value.pid, born: 'born' in value && typeof value.born === 'string' ? value.born : '' };
  } catch (error) {
    // A file that is no JSON was not written by us whole; nobody owns the folder by it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAlive({ pid, born }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    if (codeOf(error) !== 'EPERM') throw error;
  }
  // Z, X (proc(5)): ended, with nothing open any more; only its parent has not asked how yet.
  const [state] = statOf(pid) ?? [];
  return state !== 'Z' && state !== 'X' && (born === '' || born === birthOf(pid));
}

/** The fields of /proc/PID/stat from the third on; undefined where there is none. */
function statOf(pid: number): string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Field 22 of /proc/PID/stat (proc(5)) and the boot id; empty where there is no /proc. */
function birthOf(pid: number): string {
  const ticks = statOf(pid)?.[19];
  if (ticks === undefined) return '';
  return `${read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`;
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
