import type { Binary, Db } from 'mongodb';
import { DURABLE } from '../../write-concern';
import type { Migration } from '../step';

const BATCH_BYTES = 4 * 1024 * 1024;
const FLOAT_BYTES = 4;

interface Manifest {
  _id: string;
  tenant_id: string;
  base_id: string;
  kind: 'lexical' | 'vectors';
  generation: number;
  dimension: number;
  segments: { id: string; seq: number }[];
  tombstones: { id: string; seq: number; revision: number }[];
}

interface Segment {
  _id: string;
  tenant_id: string;
  table: number;
  data: number;
  parts: { table: Buffer | Binary; data: Buffer | Binary } | null;
}

/** Vectors were in segments, many documents in one. Now each document has records of its own. */
export const vectors: Migration = {
  number: 3,
  name: 'vectors of knowledge bases are records of their documents',
  kind: 'expand',
  async run({ db }) {
    for await (const manifest of db.collection<Manifest>('knowledge_indexes').find()) {
      const { tenant_id, base_id, kind, generation } = manifest;
      const index = { tenant_id, base_id, kind: kind === 'vectors' ? 'vectors' : 'words', generation: 0 };
      if (kind === 'vectors') await convert(db, manifest);
      await announce(db, kind === 'vectors' ? { ...index, generation } : index);
    }
  },
};

/** As long as a process of before runs, it searches them. */
export const segments: Migration = {
  number: 4,
  name: 'segments of knowledge bases are dropped',
  kind: 'contract',
  async run({ db }) {
    const names = ['knowledge_indexes', 'knowledge_segments', 'knowledge_segment_blocks'];
    const there = await db.listCollections({ name: { $in: names } }, { nameOnly: true }).toArray();
    for (const { name } of there) await db.dropCollection(name);
  },
};

async function convert(db: Db, manifest: Manifest): Promise<void> {
  const { tenant_id, base_id, generation, dimension } = manifest;
  const tombstones = new Map(manifest.tombstones.map((stone) => [stone.id, stone]));
  const records = db.collection<{ _id: string }>('knowledge_vectors', DURABLE);
  const parts = new Map<string, number>();
  for (const { id, seq } of manifest.segments) {
    const segment = await readSegment(db, tenant_id, id);
    if (segment === null) continue;
    for (const { document_id, revision, ns, vectors: floats } of entriesOf(segment, dimension)) {
      const stone = tombstones.get(document_id);
      if (stone !== undefined && (seq < stone.seq || revision < stone.revision)) continue;
      const rows = Math.max(1, Math.floor(BATCH_BYTES / (dimension * FLOAT_BYTES)));
      for (let from = 0; from < ns.length; from += rows) {
        const place = [tenant_id, base_id, generation, document_id, revision];
        const part = parts.get(JSON.stringify(place)) ?? 0;
        parts.set(JSON.stringify(place), part + 1);
        const size = dimension * FLOAT_BYTES;
        await records.replaceOne(
          { _id: JSON.stringify([...place, part]) },
          {
            ...{ tenant_id, base_id, generation, document_id, revision, part },
            ns: ns.slice(from, from + rows),
            vectors: floats.subarray(from * size, (from + rows) * size),
          },
          { upsert: true },
        );
      }
    }
  }
}

/** Every process compares its index with the records, since it does not know this epoch. */
async function announce(
  db: Db,
  index: { tenant_id: string; base_id: string; kind: string; generation: number },
): Promise<void> {
  const { tenant_id, base_id, kind, generation } = index;
  await db
    .collection<{ _id: string }>('knowledge_changes', DURABLE)
    .updateOne(
      { _id: JSON.stringify([tenant_id, base_id, kind, generation]) },
      { $set: { epoch: 'converted', changed_at: new Date() }, $setOnInsert: { ...index, seq: 0, documents: [] } },
      { upsert: true },
    );
}

/** The two parts of a segment; null where some of it is gone. */
async function readSegment(db: Db, tenant_id: string, _id: string): Promise<{ table: Buffer; data: Buffer } | null> {
  const segment = await db.collection<Segment>('knowledge_segments').findOne({ _id, tenant_id });
  if (segment === null) return null;
  const read = async (name: 'table' | 'data'): Promise<Buffer | null> => {
    if (segment.parts !== null) return bytesOf(segment.parts[name]);
    const blocks: Buffer[] = [];
    for (let n = 0; n * BATCH_BYTES < segment[name]; n++) {
      const of = { _id: `${_id}/${name}/${n}`, tenant_id };
      const block = await db.collection<{ _id: string; data: Buffer | Binary }>('knowledge_segment_blocks').findOne(of);
      if (block === null) return null;
      blocks.push(bytesOf(block.data));
    }
    return Buffer.concat(blocks);
  };
  const [table, data] = [await read('table'), await read('data')];
  return table === null || data === null ? null : { table, data };
}

const bytesOf = (data: Buffer | Binary): Buffer => (Buffer.isBuffer(data) ? data : Buffer.from(data.value()));

/** The rows of each document. Vectors stay bytes: floats of 32 bits, little-endian. */
function* entriesOf({ table, data }: { table: Buffer; data: Buffer }, dimension: number) {
  const [revisions, starts, counts, ends, ids] = sectionsOf(table);
  const [numbers, floats] = sectionsOf(data);
  if (!revisions || !starts || !counts || !ends || !ids || !numbers || !floats) return;
  for (let at = 0; at * 4 < revisions.length; at++) {
    const [start, count] = [starts.readUInt32LE(at * 4), counts.readUInt32LE(at * 4)];
    const size = dimension * FLOAT_BYTES;
    yield {
      document_id: ids.toString('utf8', at === 0 ? 0 : ends.readUInt32LE((at - 1) * 4), ends.readUInt32LE(at * 4)),
      revision: revisions.readUInt32LE(at * 4),
      ns: Array.from({ length: count }, (_, row) => numbers.readUInt32LE((start + row) * 4)),
      vectors: floats.subarray(start * size, (start + count) * size),
    };
  }
}

/** Each with its length before it, at multiples of four. */
function sectionsOf(bytes: Buffer): Buffer[] {
  const sections: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    sections.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + ((length + 3) & ~3);
  }
  return sections;
}
