import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { ProcessReaper } from '../../start/process-reaper';
import { until } from './until';

const ROOT = join(__dirname, '..', '..');

/** E2E_MAIN names a compiled start/main.js instead of the program of `npm start`, to test another build. */
const BUILT = process.env.E2E_MAIN;
const RUN = join(ROOT, 'start', 'run.mjs');

/** Arguments of node that run the product as `npm start` does, or another program of `start/`. */
export function program(name: 'main' | 'store' | 'cluster'): readonly string[] {
  if (BUILT !== undefined) return [join(dirname(BUILT), `${name}.js`)];
  return name === 'main' ? [RUN] : [RUN, '--script', `start/${name}`];
}

export interface PartOptions {
  readonly name: string;
  /** Arguments of node. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url: string | null;
  ready(output: string): Promise<boolean>;
  readonly reaper: ProcessReaper;
}

/** A start takes a second or two of processor time, of which a busy test machine gives little. */
const START_MS = 60_000;

/** One process of a cluster, which a test can kill, stop and pause. It can be started again under its name. */
export class Part {
  #child: ChildProcess | null = null;
  #printed = '';
  #serves = false;

  constructor(private readonly options: PartOptions) {}

  get name(): string {
    return this.options.name;
  }

  get url(): string | null {
    return this.options.url;
  }

  get alive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** It has reported since its start that it serves, and has not ended. */
  get serves(): boolean {
    return this.#serves && this.alive;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.name} was not started`);
    return this.#child.pid;
  }

  /** Its output since its first start. */
  output(): string {
    return this.#printed;
  }

  /** Resolves when it serves. @throws Error with its output when it does not */
  async start(): Promise<void> {
    const { command, env, reaper, ready, name } = this.options;
    const child = spawn(process.execPath, command, {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#serves = false;
    reaper.watch(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        this.#printed += chunk.toString();
      });
    try {
      await until(
        `${name} serves`,
        () => {
          if (!this.alive) throw new Error(`${name} has ended`);
          return ready(printed);
        },
        START_MS,
      );
      this.#serves = true;
    } catch (error) {
      await this.kill();
      throw new Error(`${name} did not come up (${String(error)}):\n${printed}`, { cause: error });
    }
  }

  /** SIGKILL, as a crash; resolves when it is gone. */
  kill(): Promise<unknown> {
    return this.#end('SIGKILL');
  }

  /** SIGTERM, as an operator; resolves with the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** SIGSTOP: pauses the process, which does not notice afterwards that time has passed. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === null || !this.alive) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}
