import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { resultCode, SQLITE } from './damage';

/** Reserved space, so that documents can be deleted when the disk is full. */
const FILE = 'reserve';
export const RESERVE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Free space, on disk or as empty pages of the data file, before a store that was full accepts all writes. */
export const ROOM_BYTES = RESERVE_BYTES + 8 * 1024 * 1024;
/** The reserve is only created if this much space is left besides. */
const SPARE_BYTES = 4 * RESERVE_BYTES;
/** A filling disk may fail a sync instead of a write; then at most this much is left. */
const NEARLY_FULL_BYTES = 64 * 1024 * 1024;

const freeBytes = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};

/** Whether an error of SQLite or of a file operation was caused by a full disk of `dir`. */
export function isFull(fault: unknown, dir: string): boolean {
  if (typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 'ENOSPC') return true;
  const code = resultCode(fault);
  // Safe to continue: what a failed commit left in the log is after its end, and is overwritten.
  return code === SQLITE.full || (code === SQLITE.ioError && freeBytes(dir) < NEARLY_FULL_BYTES);
}

/** The reserve of a folder: a file that is deleted when the disk is full. */
export class Reserve {
  private readonly path: string;
  private making = false;
  /** It was released, and not recreated yet. */
  released = false;

  constructor(
    private readonly dir: string,
    private readonly bytes: number,
  ) {
    this.path = join(dir, FILE);
  }

  /** Releases the space; false when there was none. */
  release(): boolean {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    rmSync(this.path, { force: true });
    if (size === 0) return false;
    this.released = true;
    return true;
  }

  /** Whether all writes can be accepted again. Without a reserve, each write finds out itself. */
  hasRoom(emptyPageBytes: number): boolean {
    return !this.released || freeBytes(this.dir) + emptyPageBytes >= ROOM_BYTES;
  }

  /** Creates a missing reserve if there is enough space; does not block. */
  async keep(): Promise<void> {
    if (this.bytes === 0 || this.making || statSync(this.path, { throwIfNoEntry: false }) !== undefined) return;
    if (freeBytes(this.dir) < this.bytes + SPARE_BYTES) return;
    this.making = true;
    const unfinished = `${this.path}.new`;
    try {
      await this.fill(unfinished);
      await rename(unfinished, this.path);
      this.released = false;
    } finally {
      await rm(unfinished, { force: true });
      this.making = false;
    }
  }

  /** Random bytes, as a compressing file system would reserve no space for others. */
  private async fill(path: string): Promise<void> {
    const file = await open(path, 'w', 0o600);
    try {
      const chunk = randomBytes(Math.min(CHUNK_BYTES, this.bytes));
      for (let at = 0; at < this.bytes; at += chunk.length) await file.write(chunk, 0, chunk.length, at);
    } finally {
      await file.close();
    }
  }
}
