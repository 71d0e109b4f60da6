import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const { E2E_MAIN } = process.env;

/** The program that `npx everstep` runs; with E2E_MAIN, that of the other build. */
export const CLI = E2E_MAIN ? join(dirname(E2E_MAIN), '..', 'cli', 'main.js') : join(ROOT, 'cli', 'everstep.mjs');

/** A running command, and its output so far. */
export interface RunningCommand {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts `everstep` with these arguments, without a terminal. */
export function startCommand(words: readonly string[], env: Readonly<Record<string, string>>): RunningCommand {
  const child = spawn(process.execPath, [CLI, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, out: () => texts.out, err: () => texts.err, ended };
}
