/**
 * Changes of indexes. What is asked for while a change of the same index is on its way goes together with the next one:
 * however many ask, there is one segment and one manifest for all of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../../lib/clock';
import { AppError } from '../../../../lib/errors';
import { BATCH_BYTES, batchOf, type Operation, segmentsOf, weightOf } from './batch';
import { type Change, changed, type Contents, EMPTY, type SegmentEntry, type Tables } from './manifest';
import { type Manifests, SegmentGone } from './manifests';
import type { Residents } from './residents';
import type { Space } from './space';
import type { SegmentStore } from './store';

/** A sweep takes what no manifest names after an hour (see Sweep); what has taken so long is given up well before. */
const MOST_COMMIT_MS = 20 * 60_000;
/** Others change the same index just now: wait up to so long, by chance. */
const CONTENTION_MS = 20;

interface Asker {
  readonly operation: Operation;
  resolve(): void;
  reject(fault: unknown): void;
}

export interface WriterDeps {
  readonly store: SegmentStore;
  readonly manifests: Manifests;
  readonly residents: Residents;
  readonly clock: Clock;
}

export class Writer {
  readonly #waiting = new Map<string, Asker[]>();
  readonly #busy = new Map<string, Promise<void>>();

  /** `onChanged` is told of every index that has changed. */
  constructor(
    private readonly deps: WriterDeps,
    private readonly onChanged: (space: Space) => void,
  ) {}

  /** Resolves when the change is durable and found by every process. */
  change(space: Space, operation: Operation): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(space.key) ?? [];
      waiting.push({ operation, resolve, reject });
      this.#waiting.set(space.key, waiting);
      if (!this.#busy.has(space.key)) this.#busy.set(space.key, this.#work(space));
    });
  }

  /** Resolves when nothing is on its way. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  async #work(space: Space): Promise<void> {
    for (let batch = this.#take(space); batch.length > 0; batch = this.#take(space)) {
      try {
        await this.#commit(
          space,
          batch.map(({ operation }) => operation),
        );
        for (const { resolve } of batch) resolve();
      } catch (fault) {
        for (const { reject } of batch) reject(fault);
      }
    }
    this.#busy.delete(space.key);
  }

  #take({ key }: Space): Asker[] {
    const waiting = this.#waiting.get(key) ?? [];
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && (count === 0 || bytes < BATCH_BYTES)) {
      const { operation } = waiting[count++] as Asker;
      if (operation.kind === 'put') for (const document of operation.documents) bytes += weightOf(document);
    }
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#waiting.delete(key);
    return taken;
  }

  async #commit(space: Space, operations: readonly Operation[]): Promise<void> {
    const { clock, manifests, residents, store } = this.deps;
    const since = clock.now();
    const { put, removed } = batchOf(operations);
    const segments: Omit<SegmentEntry, 'seq'>[] = [];
    for (const rows of segmentsOf(put, space)) {
      const built = await residents.with(space, [], (engine) => engine.ask('build', rows));
      const id = randomUUID();
      await store.write(space, id, built, new Date(since));
      manifests.learn(id, built.table);
      const { documents, rows: count } = built;
      segments.push({ id, documents, rows: count, bytes: built.table.length + built.data.length });
    }
    const change: Change = { segments, put, removed };
    await commit(manifests, clock, space, (now, tables) => changed(now, change, tables), since);
    this.onChanged(space);
  }
}

/**
 * Changes a manifest by a rule until it is done, whoever else changes it. False when the rule says that there is nothing to
 * do. @throws AppError unavailable when it has taken too long since `since`
 */
export async function commit(
  manifests: Manifests,
  clock: Clock,
  space: Space,
  rule: (now: Contents, tables: Tables) => Contents | null,
  since: number,
): Promise<boolean> {
  for (let fresh = false; ; fresh = true) {
    // What was seen last is mostly still there: the stamp tells.
    const known = fresh ? null : manifests.known(space);
    const seen = known ?? (await manifests.current(space));
    const now = seen ?? EMPTY;
    try {
      const next = rule(now, await manifests.tables(space, now));
      if (next === null && known === null) return false;
      if (clock.now() - since > MOST_COMMIT_MS)
        throw new AppError('unavailable', 'The index is changed by too many at once', { retry_after: 10 });
      if (next !== null && (await manifests.replace(space, seen, next)) !== null) return true;
    } catch (fault) {
      // The manifest has changed since it was read, else the segment would be there.
      if (!(fault instanceof SegmentGone) || clock.now() - since > MOST_COMMIT_MS) throw fault;
    }
    if (fresh) await sleep(Math.random() * CONTENTION_MS);
  }
}
