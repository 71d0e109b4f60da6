import type { Clock } from '../../../../lib/clock';
import { SizedCache } from '../../../../lib/sized-cache';
import { DocumentTable } from '../segment/documents';
import type { Contents, Manifest, Tables } from './manifest';
import type { Space } from './space';
import type { SegmentStore } from './store';

/** Manifests that are remembered, each about as large as its segments are many. */
const MANIFESTS = 1_000;
/** Documents of segments in this process: a document takes about 50 bytes in it. */
const TABLE_BYTES = 64 * 1024 * 1024;

/** Thrown where a segment that a manifest named is gone: the manifest has changed meanwhile. */
export class SegmentGone extends Error {}

/** What this process knows of manifests and of the documents in segments. Segments never change, so what is known of one holds. */
export class Manifests {
  readonly #manifests: SizedCache<Manifest>;
  readonly #tables: SizedCache<DocumentTable>;

  constructor(
    private readonly store: SegmentStore,
    clock: Clock,
  ) {
    const bounds = { ttlMs: Number.POSITIVE_INFINITY, now: () => clock.now() };
    this.#manifests = new SizedCache({ ...bounds, most: MANIFESTS });
    this.#tables = new SizedCache({ ...bounds, most: TABLE_BYTES });
  }

  /** As this process has last seen it; null when it has not. */
  known(space: Space): Manifest | null {
    return this.#manifests.get(space.key) ?? null;
  }

  /** As the database has it now; null when there is none. */
  async current(space: Space): Promise<Manifest | null> {
    const manifest = await this.store.manifest(space, this.known(space));
    if (manifest === null) this.#manifests.delete(space.key);
    else this.#manifests.set(space.key, manifest, 1);
    return manifest;
  }

  /** Null when another change was faster, and everything has to be looked at again. */
  async replace(space: Space, seen: Manifest | null, contents: Contents): Promise<Manifest | null> {
    const next = await this.store.replace(space, seen, contents);
    if (next !== null) this.#manifests.set(space.key, next, 1);
    return next;
  }

  /** @throws SegmentGone */
  async tables(space: Space, { segments }: Contents): Promise<Tables> {
    const tables = new Map<string, DocumentTable>();
    for (const { id } of segments) tables.set(id, this.#tables.get(id) ?? (await this.#read(space, id)));
    return tables;
  }

  /** Remembers the documents of a new segment. */
  learn(id: string, bytes: Uint8Array<ArrayBuffer>): DocumentTable {
    const table = new DocumentTable(bytes);
    this.#tables.set(id, table, bytes.length);
    return table;
  }

  async #read(space: Space, id: string): Promise<DocumentTable> {
    const bytes = await this.store.readTable(space, id);
    if (bytes === null) throw new SegmentGone(`The segment ${id} is gone`);
    return this.learn(id, bytes);
  }
}
