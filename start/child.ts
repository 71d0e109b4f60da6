import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ProcessReaper } from './process-reaper';

/** A program to run, and the output line that reports it ready. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly readyWhen: RegExp;
}

/** Events of a child process. */
interface ChildEvents {
  onLine(text: string): void;
  /** The process ended after it was ready, without a call of `stop`. */
  onUnexpectedExit(how: string): void;
}

const START_MS = 60_000;

/** A child process that can be restarted. */
export class Child {
  #process: ChildProcess | null = null;
  #stopping = false;

  constructor(
    readonly program: Program,
    private readonly reaper: ProcessReaper,
    private readonly events: ChildEvents,
  ) {}

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** @returns the line that reported it ready. @throws Error when it ends before */
  start(): Promise<string> {
    const { name, command, args, env, readyWhen } = this.program;
    // Detached: Ctrl-C in a terminal must reach only this process, which stops its children in order.
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#process = child;
    this.reaper.watch(child);
    return new Promise<string>((resolve, reject) => {
      let ready = false;
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${name} was not ready within ${START_MS / 1_000} s`));
      }, START_MS);
      const read = (text: string): void => {
        this.events.onLine(text);
        if (ready || !readyWhen.test(text)) return;
        ready = true;
        clearTimeout(timer);
        resolve(text.trim());
      };
      for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
      child.once('error', reject);
      // `close`, unlike `exit`, comes after all output was read.
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        const how = signal ?? `exit code ${code}`;
        if (!ready) reject(new Error(`${name} did not start (${how}), see above`));
        else if (!this.#stopping) this.events.onUnexpectedExit(how);
      });
    });
  }

  /** Sends SIGTERM, then SIGKILL if the process has not ended in time. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    // A process paused with SIGSTOP handles SIGTERM only after SIGCONT.
    child.kill('SIGCONT');
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await gone;
    clearTimeout(timer);
  }
}
