/**
 * Runs scripts in a few threads that several callers share.
 *
 * P1 Nothing starts before the first script; an idle pool has no timer and does not keep the process running.
 * P2 Lanes are served in turn, and the last free thread goes to a lane that has none, so no lane can occupy all
 *   threads where there are several.
 * P3 An abort rejects at once; the thread is free when the script has stopped, or is replaced.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../errors';
import { jsonSize } from '../json';
import { NO_LIMITS } from '../json/limits';
import { parseJsonSliced } from '../json/parse-sliced';
import { INPUT_CHARACTERS } from './limits';
import type { Ran } from './messages';
import { FairQueue } from '../threads/queue';
import { Thread } from './thread';
import { type Sandbox, SandboxAborted, type SandboxErrorCode, type SandboxJob, type SandboxResult } from './types';

export interface PoolPolicy {
  /** Threads kept when idle. */
  readonly warm: number;
  /** Maximum threads. */
  readonly max: number;
  /** Maximum queued jobs of a lane. */
  readonly waiting: number;
}

const POLICY: PoolPolicy = { warm: 2, max: 4, waiting: 1_000 };

/** A job and its promise. */
interface Ticket {
  readonly lane: string;
  readonly job: SandboxJob;
  thread: Thread | null;
  settle(ran: Ran): void;
  abort(): void;
}

export class SandboxPool {
  readonly #policy: PoolPolicy;
  readonly #entry: string;
  readonly #queue = new FairQueue<Ticket>();
  readonly #threads = new Set<Thread>();
  readonly #running = new Set<Ticket>();
  #engine: WebAssembly.Module | null = null;
  #loading: Promise<void> | null = null;
  #closed = false;

  /** `entry`: the compiled worker, if not beside this file. */
  constructor(options: { readonly policy?: Partial<PoolPolicy>; readonly entry?: string } = {}) {
    this.#policy = { ...POLICY, ...options.policy };
    this.#entry = options.entry ?? join(__dirname, 'worker.js');
  }

  /** The sandbox of one caller, isolated from scripts of other lanes. */
  lane(lane: string): Sandbox {
    return { run: async (job) => resultOf(await this.#run(lane, job)) };
  }

  /** Ends all threads; pending jobs reject with SandboxAborted. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const ticket of [...this.#queue, ...this.#running]) ticket.abort();
    await this.#loading;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  async #run(lane: string, job: SandboxJob): Promise<Ran> {
    if (this.#closed) throw new SandboxAborted('The sandbox is closed');
    if (job.signal.aborted) throw new SandboxAborted('The script was stopped');
    if (this.#queue.sizeOf(lane) >= this.#policy.waiting) return failure('overloaded', 'Too many scripts are queued');
    if (jsonSize(job.globals, INPUT_CHARACTERS) + job.source.length > INPUT_CHARACTERS) return tooLarge();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#leave(ticket);
        job.signal.removeEventListener('abort', abort);
        reject(new SandboxAborted(this.#closed ? 'The sandbox is closed' : 'The script was stopped'));
      };
      const settle = (ran: Ran): void => {
        this.#running.delete(ticket);
        job.signal.removeEventListener('abort', abort);
        resolve(ran);
      };
      const ticket: Ticket = { lane, job, thread: null, settle, abort };
      job.signal.addEventListener('abort', abort, { once: true });
      this.#queue.push(ticket);
      this.#pump();
    });
  }

  #leave(ticket: Ticket): void {
    this.#queue.remove(ticket);
    this.#running.delete(ticket);
    ticket.thread?.stop();
  }

  /** Assigns queued jobs to free threads, and starts more threads if needed. */
  #pump(): void {
    if (this.#closed) return;
    if (this.#engine === null) {
      this.#loading ??= this.#load();
      return;
    }
    for (;;) {
      const free = [...this.#threads].filter((thread) => thread.free);
      const [any] = free;
      const ticket = any && this.#queue.shift((lane) => this.#mayHaveTurn(lane));
      if (any === undefined || ticket === undefined) break;
      // A thread that ran this lane has an engine to reuse.
      this.#begin(ticket, free.find((thread) => thread.lane === ticket.lane) ?? any);
    }
    const wanted = Math.max(this.#policy.warm, this.#running.size + this.#queue.size);
    while (this.#threads.size < Math.min(wanted, this.#policy.max)) this.#spawn(this.#engine);
  }

  #mayHaveTurn(lane: string): boolean {
    const { max } = this.#policy;
    if (max === 1 || this.#running.size < max - 1) return true;
    return ![...this.#running].some((ticket) => ticket.lane === lane);
  }

  #begin(ticket: Ticket, thread: Thread): void {
    const { lane, job } = ticket;
    const globals = JSON.stringify(job.globals);
    if (globals.length + job.source.length > INPUT_CHARACTERS) return ticket.settle(tooLarge());
    this.#running.add(ticket);
    ticket.thread = thread;
    thread.run(
      {
        lane,
        source: job.source,
        globals,
        timeoutMs: Math.min(job.timeoutMs, MAX_TIMEOUT_MS),
      },
      (ran) => ticket.settle(ran),
    );
  }

  #spawn(engine: WebAssembly.Module): void {
    const thread = new Thread(this.#entry, engine, {
      onFree: () => {
        this.#pump();
        const idle = [...this.#threads].filter((one) => one.free).length;
        if (thread.free && idle > this.#policy.warm) void thread.end();
      },
      onExit: (fault) => {
        this.#threads.delete(thread);
        // If one thread cannot start, others would fail as well.
        if (fault === null) this.#pump();
        else this.#refuseAll(fault);
      },
    });
    this.#threads.add(thread);
  }

  async #load(): Promise<void> {
    try {
      this.#engine = await WebAssembly.compile(await readFile(require.resolve(ENGINE_FILE)));
    } catch (fault) {
      this.#refuseAll(fault);
    }
    this.#loading = null;
    this.#pump();
  }

  #refuseAll(fault: unknown): void {
    const refusal = failure('crashed', `The sandbox does not start: ${errorMessage(fault)}`);
    for (const ticket of [...this.#queue]) {
      this.#queue.remove(ticket);
      ticket.settle(refusal);
    }
  }
}

const ENGINE_FILE = '@jitl/quickjs-wasmfile-release-sync/wasm';

/** Maximum timer delay, less the grace period. */
const MAX_TIMEOUT_MS = 0x7fffffff - 1_000;

const failure = (code: SandboxErrorCode, message: string): Ran => ({
  kind: 'error',
  code,
  message,
  lines: [],
});

const tooLarge = (): Ran =>
  failure('input_too_large', `The input of the script has more than ${INPUT_CHARACTERS} characters as JSON`);

/** In slices: a script can give a megabyte of small objects. Parsing creates own properties even for `__proto__`. */
const resultOf = async (ran: Ran): Promise<SandboxResult> =>
  ran.kind === 'value' ? { kind: 'value', value: await parseJsonSliced(ran.text, NO_LIMITS), lines: ran.lines } : ran;
