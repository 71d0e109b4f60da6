/**
 * Makes few segments of many, in the background, one merge at a time. Any number of processes may do so at once: who finds
 * that a segment of his is merged already throws his own work away.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../lib/clock';
import { errorMessage } from '../../../../lib/errors';
import type { BuiltSegment, View } from '../engine/calls';
import { type Contents, type Manifest, merged, type SegmentEntry, type Tables } from './manifest';
import { SegmentGone } from './manifests';
import { planMerge } from './planning';
import type { Residents } from './residents';
import type { Space } from './space';
import type { StoredSegment } from './store';
import { commit, type WriterDeps } from './writer';

/** Those who have read the manifest before may still want the old segments; who comes too late reads it again. */
const GRACE_MS = 60_000;

export class Merger {
  readonly #waiting = new Map<string, Space>();
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(
    private readonly deps: WriterDeps & { readonly residents: Residents; readonly clock: Clock },
    private readonly warn: (message: string) => void,
  ) {}

  /** Sees to an index that has changed. */
  look(space: Space): void {
    if (this.#closed) return;
    this.#waiting.set(space.key, space);
    this.#working ??= this.#work();
  }

  /** Resolves when nothing is left to merge. */
  async settled(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (const [key, space] of this.#waiting) {
      this.#waiting.delete(key);
      try {
        while (!this.#closed && (await this.#mergeNow(space)));
      } catch (fault) {
        // The next change of the index is the next occasion.
        if (!this.#closed) this.warn(`An index of a knowledge base was not merged: ${errorMessage(fault)}`);
      }
    }
    this.#working = null;
  }

  /** False when there was nothing to do. */
  async #mergeNow(space: Space): Promise<boolean> {
    const { manifests } = this.deps;
    // Seen when it was changed; whether it is so yet, the commit finds out.
    const manifest = manifests.known(space) ?? (await manifests.current(space));
    if (manifest === null) return false;
    try {
      return await this.#merge(space, manifest);
    } catch (fault) {
      if (!(fault instanceof SegmentGone)) throw fault;
      // Another process has merged it meanwhile, unless it is still named.
      if ((await manifests.current(space))?.stamp === manifest.stamp) throw fault;
      return true;
    }
  }

  async #merge(space: Space, manifest: Manifest): Promise<boolean> {
    const { clock, manifests, residents, store } = this.deps;
    const since = clock.now();
    const picked = planMerge(manifest, await manifests.tables(space, manifest));
    if (picked === null) return false;
    const built = await residents.with(space, picked, (engine) =>
      engine.ask('merge', { view: viewOf(manifest, picked), rows: space.rows }),
    );
    const id = randomUUID();
    const merge = { from: picked.map((segment) => segment.id), merged: built && (await this.#write(space, id, built)) };
    const own = built === null ? [] : [[id, manifests.learn(id, built.table)] as const];
    const rule = (now: Contents, tables: Tables): Contents | null => merged(now, merge, new Map([...tables, ...own]));
    const done = await commit(manifests, clock, space, rule, since);
    const spare = done ? merge.from : [id];
    const segments = spare.map((each) => ({ id: each, tenantId: space.tenantId, index: space.key }));
    if (done) clock.after(GRACE_MS, () => void this.#discard(segments));
    else await store.remove(segments);
    return true;
  }

  async #write(space: Space, id: string, built: BuiltSegment): Promise<Omit<SegmentEntry, 'seq'>> {
    await this.deps.store.write(space, id, built, new Date(this.deps.clock.now()));
    const { documents, rows, table, data } = built;
    return { id, documents, rows, bytes: table.length + data.length };
  }

  /** A sweep finds what is left. */
  async #discard(segments: readonly StoredSegment[]): Promise<void> {
    if (this.#closed) return;
    try {
      await this.deps.store.remove(segments);
    } catch (fault) {
      this.warn(`Segments that nobody needs are not removed yet: ${errorMessage(fault)}`);
    }
  }
}

/** What the engine must know of some segments. */
export const viewOf = ({ stamp, tombstones }: Manifest, segments: readonly SegmentEntry[]): View => ({
  stamp,
  tombstones,
  segments: segments.map(({ id, seq }) => ({ id, seq })),
});
