import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../runner/engine';

/** The program that serves MongoDB's own engine: `REAL_MONGO DIR` prints a URI and serves until it is killed. */
const REAL_MONGO = process.env.REAL_MONGO ?? resolve(__dirname, '../../../../../shared/tools/real-mongo');

const START_LIMIT_MS = 60_000;

/** The running engine, or the reason why there is none. `exited` resolves with the exit status of its process. */
export type RealEngine =
  | { kind: 'running'; engine: Engine; exited: Promise<EngineExit> }
  | { kind: 'absent'; reason: string };

export interface EngineExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its standard error. */
  readonly output: string;
}

const MAX_OUTPUT_CHARS = 4_000;

/** Starts MongoDB's own engine in a folder of its own, if it is installed and starts within a minute. */
export async function startRealEngine(): Promise<RealEngine> {
  if (!existsSync(REAL_MONGO)) return { kind: 'absent', reason: `${REAL_MONGO} is not here (REAL_MONGO)` };
  await installOnce();
  const dir = await mkdtemp(join(tmpdir(), 'everstep-real-'));
  const child = spawn(REAL_MONGO, [join(dir, 'db')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS)));
  const exited = new Promise<EngineExit>((done) =>
    child.once('close', (code, signal) => done({ code, signal, output })),
  );
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(force);
    await rm(dir, { recursive: true, force: true });
  };
  const url = await new Promise<string | undefined>((done) => {
    const limit = setTimeout(() => done(undefined), START_LIMIT_MS);
    const settle = (line?: string): void => {
      clearTimeout(limit);
      done(line);
    };
    createInterface(child.stdout).on('line', (line) => line.startsWith('mongodb://') && settle(line));
    child.once('error', () => settle());
    child.once('close', () => settle());
  });
  if (url !== undefined) return { kind: 'running', engine: { url, close }, exited };
  await close();
  return { kind: 'absent', reason: `${REAL_MONGO} did not serve within ${START_LIMIT_MS / 1000} s` };
}

/** The program installs its dependencies at its first run; two test workers that do so at once would break it. */
async function installOnce(): Promise<void> {
  const lock = join(tmpdir(), 'everstep-real-engine.lock');
  const deadline = Date.now() + START_LIMIT_MS;
  while (
    Date.now() < deadline &&
    !(await mkdir(lock).then(
      () => true,
      () => false,
    ))
  ) {
    const age = Date.now() - (await stat(lock).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
    if (age > START_LIMIT_MS) await rm(lock, { recursive: true, force: true });
    await sleep(100);
  }
  try {
    const child = spawn(REAL_MONGO, ['--install'], { stdio: 'ignore', timeout: START_LIMIT_MS });
    await new Promise<void>((done) => {
      child.once('error', () => done());
      child.once('close', () => done());
    });
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}
