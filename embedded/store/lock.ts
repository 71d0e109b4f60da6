import { readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '../../lib/sqlite';
import { resultCode, SQLITE, textOf } from './damage';
import { openingError } from './data-file';

/** The file whose operating system lock is the ownership of the folder. */
const LOCK_FILE = 'folder.lock';
/** Names the owner of the folder, for people and tools. */
const OWNER_FILE = 'owner.lock';
/** How often the owner checks that its lock file was not replaced. */
const CHECK_MS = 1_000;

/** The owner of a folder. Process ids may be reused, so the start time is included. */
interface Owner {
  readonly pid: number;
  /** Start time in clock ticks after boot, with the boot id; empty where unavailable. */
  readonly born: string;
  /** Scope of the process id. Absent in files of version 0.1.0, which took no operating system lock. */
  readonly space?: string;
  readonly host?: string;
}

/** A held lock. */
export interface Lock {
  release(): void;
}

/** Another process owns the folder. */
export class LockedError extends Error {
  /** @param pid of the owner; null when it runs in another container, where its id is not valid */
  constructor(
    readonly dir: string,
    readonly pid: number | null,
    owner: string,
  ) {
    super(`the data folder ${dir} is in use by ${owner}; stop it first, or use another folder`);
    this.name = 'LockedError';
  }
}

/**
 * Locks the folder for this process: one store, one owner. The operating system holds the lock and frees it when the
 * process ends in any way; it also applies across containers that share the folder.
 * @param onLost called when the lock file was removed and another process has locked the folder
 * @throws LockedError naming the folder and, if known, the owner
 */
export function takeLock(dir: string, onLost: (error: LockedError) => void): Lock {
  const owner = ownerOf(dir);
  let held = lockFile(dir);
  if (held === undefined) throw lockedBy(dir, owner);
  if (owner !== undefined && owner.space === undefined && isAlive(owner)) {
    held.db.close();
    throw lockedBy(dir, owner);
  }
  writeOwner(dir);
  let hasFailed = false;
  const check = (): void => {
    if (inodeOf(dir) === held?.inode) return;
    const again = lockFile(dir);
    if (again === undefined) return onLost(lockedBy(dir, ownerOf(dir)));
    held?.db.close();
    held = again;
  };
  const timer = setInterval(() => {
    try {
      check();
      hasFailed = false;
    } catch (error) {
      // A temporary fault of the file system is retried by the timer.
      if (!hasFailed) process.stderr.write(`document store: checking the lock failed: ${textOf(error)}\n`);
      hasFailed = true;
    }
  }, CHECK_MS).unref();
  return {
    release() {
      clearInterval(timer);
      rmSync(join(dir, OWNER_FILE), { force: true });
      rmSync(join(dir, LOCK_FILE), { force: true });
      held?.db.close();
    },
  };
}

/**
 * SQLite's exclusive lock on an empty file (fcntl; LockFileEx on Windows), as Node has no call for it. Nothing is written.
 * The file must not be opened in any other way in this process: closing it would free the lock.
 */
function lockFile(dir: string): HeldFile | undefined {
  for (;;) {
    const before = inodeOf(dir);
    const db = new DatabaseSync(join(dir, LOCK_FILE), { timeout: 0 });
    try {
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (resultCode(error) === SQLITE.busy) return undefined;
      throw openingError(error, join(dir, LOCK_FILE));
    }
    // An owner removes the file when it ends; the locked file must be the one that others will find.
    if (before !== undefined && inodeOf(dir) === before) return { db, inode: before };
    db.close();
  }
}

interface HeldFile {
  readonly db: DatabaseSync;
  readonly inode: number;
}

const inodeOf = (dir: string): number | undefined => statSync(join(dir, LOCK_FILE), { throwIfNoEntry: false })?.ino;

function lockedBy(dir: string, owner: Owner | undefined): LockedError {
  if (owner === undefined) return new LockedError(dir, null, 'another process');
  if (owner.space === undefined || owner.space === pidSpace())
    return new LockedError(dir, owner.pid, `process ${owner.pid}`);
  return new LockedError(dir, null, `a process in another container (host ${owner.host}, process ${owner.pid} there)`);
}

/** For information only, so a full disk is ignored. */
function writeOwner(dir: string): void {
  const path = join(dir, OWNER_FILE);
  const { pid } = process;
  const owner: Owner = { pid, born: birthOf(pid), space: pidSpace(), host: hostname() };
  try {
    writeFileSync(path, JSON.stringify(owner), { mode: 0o600 });
  } catch (error) {
    rmSync(path, { force: true });
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
}

function ownerOf(dir: string): Owner | undefined {
  const text = read(join(dir, OWNER_FILE));
  return text === undefined ? undefined : parseOwner(text);
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
    const textOf = (name: string): string | undefined => {
      const member: unknown = Reflect.get(value, name);
      return typeof member === 'string' ? member : undefined;
    };
    return { pid: value.pid, born: textOf('born') ?? '', space: textOf('space'), host: textOf('host') };
  } catch (error) {
    // An incomplete file names no owner.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the owner of a folder of version 0.1.0 is alive: a process with this id and start time. */
function isAlive({ pid, born }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    if (codeOf(error) !== 'EPERM') throw error;
  }
  // Z, X (proc(5)): exited with nothing open; only its parent has not collected the status.
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

/** The PID namespace of this process (pid_namespaces(7)); elsewhere the host name. */
function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return hostname();
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
