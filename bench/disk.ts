import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from './percentile';

const BLOCK = Buffer.alloc(4_096, 1);
const SYNCS = 300;

/** Milliseconds that this machine needs to append 4 KiB and have it on disk: the floor of every durable answer. */
export function measureSync(root = tmpdir()): { p50: number; p99: number } {
  const folder = mkdtempSync(join(root, 'everstep-sync-'));
  const file = openSync(join(folder, 'log'), 'w');
  const took: number[] = [];
  try {
    for (let n = 0; n < SYNCS; n += 1) {
      const began = performance.now();
      writeSync(file, BLOCK);
      fdatasyncSync(file);
      took.push(performance.now() - began);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}
