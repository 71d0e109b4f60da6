import { type ChildProcess, fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Latencies of all ended requests, in milliseconds; `failed` of them had an unexpected answer. */
export interface Latencies {
  readonly took: readonly number[];
  readonly failed: number;
}

/** A summary of many latencies. */
export interface Figures {
  readonly count: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A tenant with normal requests, in a process of its own. */
export class Victim {
  readonly #child: ChildProcess;

  constructor(url: string, path: string) {
    const runner = join(__dirname, '..', 'support', 'run.mjs');
    this.#child = fork(runner, [join('test', 'isolation', 'victim.ts'), url, path], {
      cwd: join(__dirname, '..', '..'),
    });
  }

  /** Latencies of the requests of so many seconds, while `meanwhile` goes on; it ends when its signal is aborted. */
  async measure(seconds: number, meanwhile: (signal: AbortSignal) => Promise<void>): Promise<Figures> {
    const stop = new AbortController();
    // Each client of an attack listens.
    setMaxListeners(0, stop.signal);
    const other = meanwhile(stop.signal);
    // What goes on has begun before it is measured, and what has not ended when it is read counts in the next case.
    await Promise.race([sleep(500), other]);
    this.#child.send('reset');
    await sleep(seconds * 1_000);
    const answer = once(this.#child, 'message') as Promise<[Latencies]>;
    this.#child.send('read');
    const [latencies] = await answer;
    stop.abort();
    await other;
    return figuresOf(latencies);
  }

  stop(): void {
    this.#child.disconnect();
  }
}

function figuresOf({ took, failed }: Latencies): Figures {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { count: sorted.length, failed, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}
