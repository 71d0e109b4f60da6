import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const children: ChildProcess[] = [];

/** Ends all that were started. */
export function endOwners(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** A process that opens a store, and inserts into a collection until it is ended. */
export interface Owner {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line that matches; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Resolves with the next line. */
  next(): Promise<unknown>;
  kill(): Promise<void>;
}

export interface OwnerOptions {
  /** A command that runs the process. */
  readonly prefix?: readonly string[];
  /** A shell command that is run before it. */
  readonly before?: string;
}

export function startOwner(dir: string, name: string, { prefix = [], before }: OwnerOptions = {}): Owner {
  const program = [process.execPath, join(__dirname, 'owner-process.cjs'), dir, name];
  const inShell = before === undefined ? program : ['sh', '-c', `${before} && exec "$@"`, 'sh', ...program];
  const [command, ...args] = [...prefix, ...inShell];
  const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  const input = createInterface({ input: child.stdout });
  input.on('line', (line) => lines.push(line));
  const closed = once(child, 'close');
  return {
    child,
    lines,
    async line(pattern) {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        const next = await Promise.race([once(input, 'line').then(() => 'line'), closed.then(() => 'closed')]);
        if (next === 'closed' && !lines.some((line) => pattern.test(line)))
          throw new Error(`the process ended without a line like ${pattern}: ${lines.slice(-3).join(' | ')}`);
      }
    },
    next: () => once(input, 'line'),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
