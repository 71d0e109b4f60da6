import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Guard } from './guard';

/** How to run a program, and what the line looks like by which it says that it serves. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly readyWhen: RegExp;
}

/** What a keeper hears of its child. */
export interface ChildEvents {
  line(text: string): void;
  /** It ended after it had served, and nobody had asked for it. */
  died(how: string): void;
}

const START_MS = 60_000;

/** A program in a process of its own, which can be started again. */
export class Child {
  #process: ChildProcess | null = null;
  #stopping = false;

  constructor(
    readonly program: Program,
    private readonly guard: Guard,
    private readonly events: ChildEvents,
  ) {}

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** @returns the line by which it said that it serves. @throws Error when it did not */
  start(): Promise<string> {
    const { name, command, args, env, readyWhen } = this.program;
    // Detached: Ctrl-C in a terminal must reach the keeper alone, which stops its children in order.
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#process = child;
    this.guard.watch(child);
    return new Promise<string>((resolve, reject) => {
      let ready = false;
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${name} did not get ready in ${START_MS / 1_000} s`));
      }, START_MS);
      const read = (text: string): void => {
        this.events.line(text);
        if (ready || !readyWhen.test(text)) return;
        ready = true;
        clearTimeout(timer);
        resolve(text.trim());
      };
      for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
      child.once('error', reject);
      // By `close` all that it has printed was read, unlike by `exit`.
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        const how = signal ?? `exit code ${code}`;
        if (!ready) reject(new Error(`${name} did not start (${how}), see above`));
        else if (!this.#stopping) this.events.died(how);
      });
    });
  }

  /** SIGTERM, and SIGKILL when that has not ended it in time. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    // Somebody may have stopped it to see what happens; it takes the other signal when it goes on.
    child.kill('SIGCONT');
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await gone;
    clearTimeout(timer);
  }
}
