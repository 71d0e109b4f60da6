import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster';
import type { Part } from '../support/part';
import { type Act, nextAct } from './acts';
import type { Chance } from './chance';

const MAX_EXECUTORS = 4;
/** This many failed starts of a process in a row are a violation. */
const STARTS = 5;

/** Kills, pauses, stops and starts parts of a cluster at random until the deadline; then restores all of them. */
export class Operator {
  readonly done: Record<string, number> = {};
  last = 'nothing yet';
  readonly faults: string[] = [];
  readonly #mending = new Set<Promise<void>>();
  readonly #busy = new Set<unknown>();

  constructor(
    private readonly cluster: Cluster,
    private readonly chance: Chance,
    private readonly say: (line: string) => void,
  ) {}

  async until(deadline: number): Promise<void> {
    for (;;) {
      const { act, afterMs } = nextAct(this.chance, {
        executors: this.cluster.liveExecutors.length,
        max: MAX_EXECUTORS,
      });
      if (Date.now() + afterMs > deadline) break;
      await sleep(afterMs);
      this.#perform(act);
    }
    await Promise.all(this.#mending);
  }

  #perform(act: Act): void {
    const mending = this.#do(act).catch((error: unknown) => void this.faults.push(String(error)));
    this.#mending.add(mending);
    void mending.finally(() => this.#mending.delete(mending));
  }

  async #do(act: Act): Promise<void> {
    if (act.kind === 'add') {
      const part = this.cluster.newExecutor();
      return this.#once(act, part.name, part, () => this.#raise(part));
    }
    if (act.what === 'nats') return this.#once(act, 'nats', this.cluster.nats, () => this.#nats(act));
    if (act.what === 'store')
      return this.#once(act, 'store', this.cluster.store, () => this.#harm(act, this.cluster.store));
    if (act.kind === 'kill all') {
      const all = this.cluster.liveExecutors.filter((part) => !this.#busy.has(part));
      const each = { kind: 'kill', what: 'executor', forMs: act.forMs } as const;
      await Promise.all(all.map((part) => this.#once(each, part.name, part, () => this.#harm(each, part))));
      return;
    }
    const parts = act.what === 'executor' ? this.cluster.executors : this.cluster.gateways;
    const free = parts.filter((part) => part.alive && !this.#busy.has(part));
    const victim = free[this.chance.between(0, free.length - 1)];
    // One gateway has to stay up, or the load would only measure refusals.
    if (victim === undefined || (act.what === 'gateway' && free.length < 2)) return;
    await this.#once(act, victim.name, victim, () => this.#harm(act, victim));
  }

  /** Allows one fault at a time for each part. */
  async #once(act: Act, name: string, part: unknown, harm: () => Promise<void>): Promise<void> {
    if (this.#busy.has(part)) return;
    this.#busy.add(part);
    this.#note(`${act.kind} ${act.what}`, `${act.kind} ${name}${'forMs' in act ? ` for ${act.forMs} ms` : ''}`);
    try {
      await harm();
    } finally {
      this.#busy.delete(part);
    }
  }

  async #harm(act: Exclude<Act, { kind: 'add' | 'kill all' }>, part: Part): Promise<void> {
    if (act.kind === 'pause') {
      part.pause();
      await sleep(act.forMs);
      return part.resume();
    }
    if (act.kind === 'kill') await part.kill();
    else if ((await part.stop()) !== 0)
      this.faults.push(`${part.name} did not stop in order:\n${part.output().slice(-2_000)}`);
    await sleep(act.forMs);
    await this.#raise(part);
  }

  /** Retries like a process supervisor: the database may be down at the start of a process. */
  async #raise(part: Part): Promise<void> {
    for (let triesLeft = STARTS; ; triesLeft--) {
      try {
        return await part.start();
      } catch (error) {
        if (triesLeft === 1) throw error;
        this.#note('failed start', `is started again: ${String(error).trim()}`);
      }
    }
  }

  async #nats(act: { kind: string; forMs: number }): Promise<void> {
    const { nats } = this.cluster;
    if (act.kind === 'pause') nats.pause();
    else await nats.kill();
    await sleep(act.forMs);
    if (act.kind === 'pause') nats.resume();
    else await nats.restart();
  }

  #note(kind: string, line = kind): void {
    this.done[kind] = (this.done[kind] ?? 0) + 1;
    this.last = line;
    this.say(line);
  }
}
