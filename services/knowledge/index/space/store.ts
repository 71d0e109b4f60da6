/**
 * Manifests and segments in the database.
 *
 *  S1  A segment's own record is written before its blocks, and goes after them: whoever dies in between leaves a record by
 *      which a sweep finds the rest. A small segment is in its record, and has no blocks.
 *  S2  A manifest names a segment only when all of it is there. It changes by its stamp (M1), in one write.
 *  S3  Every filter has the tenant.
 */
import { randomUUID } from 'node:crypto';
import type { Binary, Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../../../../lib/duplicate-key';
import { AppError } from '../../../../lib/errors';
import type { IndexSpace } from '../contract';
import type { RowsKind, SegmentBytes } from '../engine/calls';
import type { Tombstone } from '../segment/documents';
import type { Contents, Manifest, SegmentEntry } from './manifest';
import type { Space } from './space';

/** A quarter of what a document may have, so that one is never much of a message. */
const BLOCK_BYTES = 4 * 1024 * 1024;
/** Segments up to this are in their own record: most are small and new, and one write is all that they take. */
const INLINE_BYTES = 256 * 1024;
/** Blocks of one segment that are on their way at once. */
const AT_ONCE = 4;

interface ManifestDocument {
  _id: string;
  tenant_id: string;
  base_id: string;
  kind: RowsKind['kind'];
  generation: number;
  /** Of vectors; null for words. */
  dimension: number | null;
  stamp: string;
  seq: number;
  segments: SegmentEntry[];
  tombstones: Tombstone[];
}

interface SegmentDocument {
  _id: string;
  tenant_id: string;
  /** Id of the manifest that it was made for. */
  index: string;
  at: Date;
  /** Bytes of its two parts. */
  table: number;
  data: number;
  /** The parts themselves; null where they are in blocks. */
  parts: { table: Buffer | Binary; data: Buffer | Binary } | null;
}

interface BlockDocument {
  _id: string;
  tenant_id: string;
  data: Buffer | Binary;
}

/** A segment that a sweep looks at. */
export interface StoredSegment {
  readonly id: string;
  readonly tenantId: string;
  readonly index: string;
}

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export class SegmentStore {
  readonly #manifests: Collection<ManifestDocument>;
  readonly #segments: Collection<SegmentDocument>;
  readonly #blocks: Collection<BlockDocument>;

  constructor(
    db: Db,
    private readonly inlineBytes = INLINE_BYTES,
  ) {
    this.#manifests = db.collection('knowledge_indexes', DURABLE);
    this.#segments = db.collection('knowledge_segments', { ...DURABLE, promoteBuffers: true });
    this.#blocks = db.collection('knowledge_segment_blocks', { ...DURABLE, promoteBuffers: true });
  }

  async createIndexes(): Promise<void> {
    await this.#manifests.createIndex({ tenant_id: 1, base_id: 1, kind: 1 });
  }

  /** Null when there is none. `known`: answered itself when it still holds. @throws AppError invalid_request for another dimension */
  async manifest(space: Space, known: Manifest | null): Promise<Manifest | null> {
    const filter = ownFilter(space);
    if (known !== null) {
      const now = await this.#manifests.findOne(filter, { projection: { stamp: 1 } });
      if (now === null) return null;
      if (now.stamp === known.stamp) return known;
    }
    const found = await this.#manifests.findOne(filter);
    if (found === null) return null;
    if (found.dimension !== dimensionOf(space.rows))
      throw new AppError('invalid_request', `The vectors of the index have ${found.dimension} dimensions`);
    const { stamp, seq, segments, tombstones } = found;
    return { stamp, seq, segments, tombstones };
  }

  /** Puts new contents in the place of what was seen; null when that is there no more. */
  async replace(space: Space, seen: Manifest | null, contents: Contents): Promise<Manifest | null> {
    const { seq } = contents;
    const next = { stamp: randomUUID(), seq, segments: [...contents.segments], tombstones: [...contents.tombstones] };
    if (seen !== null) {
      const { matchedCount } = await this.#manifests.updateOne(
        { ...ownFilter(space), stamp: seen.stamp },
        { $set: next },
      );
      return matchedCount === 1 ? next : null;
    }
    const { key, tenantId, baseId, generation, rows } = space;
    const owned = { _id: key, tenant_id: tenantId, base_id: baseId, kind: rows.kind, generation };
    try {
      await this.#manifests.insertOne({ ...owned, dimension: dimensionOf(rows), ...next });
      return next;
    } catch (fault) {
      if (isDuplicateKey(fault)) return null;
      throw fault;
    }
  }

  /** Takes manifests away, of all generations or one; answers the segments that they named. */
  async dropManifests(space: IndexSpace, kind: RowsKind['kind'], generation?: number): Promise<StoredSegment[]> {
    const { tenantId, baseId } = space;
    const which = { tenant_id: tenantId, base_id: baseId, kind, ...(generation === undefined ? {} : { generation }) };
    const named: StoredSegment[] = [];
    for (;;) {
      const dropped = await this.#manifests.findOneAndDelete(which);
      if (dropped === null) return named;
      named.push(...dropped.segments.map(({ id }) => ({ id, tenantId, index: dropped._id })));
    }
  }

  async write(space: Space, id: string, { table, data }: SegmentBytes, at: Date): Promise<void> {
    const { tenantId: tenant_id, key: index } = space;
    const isSmall = table.length + data.length <= this.inlineBytes;
    const parts = isSmall ? { table: bufferOf(table), data: bufferOf(data) } : null;
    await this.#segments.insertOne({ _id: id, tenant_id, index, at, table: table.length, data: data.length, parts });
    if (isSmall) return;
    const blocks = [...blocksOf(id, 'table', table), ...blocksOf(id, 'data', data)];
    await eachAtOnce(blocks, async ({ _id, bytes }) => {
      await this.#blocks.insertOne({ _id, tenant_id, data: bufferOf(bytes) });
    });
  }

  /** All of a segment; null when some of it is not there any more. */
  async read(space: Space, id: string): Promise<SegmentBytes | null> {
    const segment = await this.#segments.findOne({ _id: id, tenant_id: space.tenantId });
    if (segment === null) return null;
    const table = await this.#readPart(segment, 'table');
    const data = table && (await this.#readPart(segment, 'data'));
    return table && data && { table, data };
  }

  async readTable(space: Space, id: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const segment = await this.#segments.findOne({ _id: id, tenant_id: space.tenantId });
    return segment && this.#readPart(segment, 'table');
  }

  async remove(segments: readonly StoredSegment[]): Promise<void> {
    for (const { id, tenantId } of segments) {
      // All ids of its blocks begin with its own and a slash; what follows the slash in order is a zero.
      await this.#blocks.deleteMany({ _id: { $gte: `${id}/`, $lt: `${id}0` }, tenant_id: tenantId });
      await this.#segments.deleteOne({ _id: id, tenant_id: tenantId });
    }
  }

  /** Segments of any tenant from before an instant, by id, in pages. */
  async *segments(before: Date, page: number): AsyncIterableIterator<StoredSegment[]> {
    for (let after = ''; ; ) {
      const found = await this.#segments
        .find({ _id: { $gt: after }, at: { $lt: before } }, { projection: { parts: 0 } })
        .sort({ _id: 1 })
        .limit(page)
        .toArray();
      const last = found.at(-1);
      if (last === undefined) return;
      yield found.map(({ _id, tenant_id, index }) => ({ id: _id, tenantId: tenant_id, index }));
      after = last._id;
    }
  }

  /** Ids of all segments that some manifests name. */
  async named(indexes: readonly string[]): Promise<Set<string>> {
    const manifests = await this.#manifests
      .find({ _id: { $in: [...indexes] } }, { projection: { 'segments.id': 1 } })
      .toArray();
    return new Set(manifests.flatMap(({ segments }) => segments.map(({ id }) => id)));
  }

  async #readPart(segment: SegmentDocument, part: 'table' | 'data'): Promise<Uint8Array<ArrayBuffer> | null> {
    if (segment.parts !== null) return copyOf(segment.parts[part]);
    const bytes = new Uint8Array(segment[part]);
    let missing = false;
    await eachAtOnce(blocksOf(segment._id, part, bytes), async ({ _id, bytes: place }) => {
      const block = await this.#blocks.findOne({ _id, tenant_id: segment.tenant_id });
      if (block === null) missing = true;
      else place.set(bytesOf(block.data));
    });
    return missing ? null : bytes;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

const bytesOf = (data: Buffer | Binary): Uint8Array => (Buffer.isBuffer(data) ? data : data.value());

/** In memory of its own, as the thread takes it over. */
const copyOf = (data: Buffer | Binary): Uint8Array<ArrayBuffer> => new Uint8Array(bytesOf(data));

const ownFilter = ({ key, tenantId }: Space) => ({ _id: key, tenant_id: tenantId });

const dimensionOf = (rows: RowsKind): number | null => (rows.kind === 'vectors' ? rows.dimension : null);

function blocksOf(id: string, part: string, bytes: Uint8Array): { _id: string; bytes: Uint8Array }[] {
  return Array.from({ length: Math.ceil(bytes.length / BLOCK_BYTES) }, (_, n) => ({
    _id: `${id}/${part}/${n}`,
    bytes: bytes.subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES),
  }));
}

async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
}
