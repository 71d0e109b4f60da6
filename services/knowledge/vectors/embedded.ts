import type { Binary, Collection, Db } from 'mongodb';
import { floatsOf } from '../../../lib/binary';
import { AppError } from '../../../lib/errors';
import type { IndexKey } from '../../../lib/search';
import type { IndexedDocument, Namespace } from '../../../lib/search/contract';
import { DURABLE } from '../../../lib/write-concern';
import type { ChangeLog } from '../index/change-log';
import type { LoadedDocument, Source, Synchronizer } from '../index/synchronizer';
import type { DocumentVectors, VectorNamespace, VectorStore } from './contract';

/** A quarter of the maximum size of a MongoDB document. */
const BATCH_BYTES = 4 * 1024 * 1024;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Vectors of consecutive chunks of a document: 32-bit floats, little-endian. `ns`: their chunk numbers. */
interface VectorRecord {
  _id: string;
  tenant_id: string;
  base_id: string;
  generation: number;
  document_id: string;
  revision: number;
  /** Number of the record within the revision, from 0. */
  part: number;
  ns: number[];
  vectors: Buffer | Binary;
}

/** Durable vectors of all bases, from which index files are built. */
export class VectorRecords implements Source {
  readonly #records: Collection<VectorRecord>;

  constructor(db: Db) {
    this.#records = db.collection('knowledge_vectors', { ...DURABLE, promoteBuffers: true });
  }

  async createIndexes(): Promise<void> {
    await this.#records.createIndex({ tenant_id: 1, base_id: 1, generation: 1, document_id: 1, revision: 1 });
  }

  /** Replaces older revisions. No effect if a newer one is stored. */
  async put(namespace: VectorNamespace, { id, revision, chunkNumbers, vectors }: DocumentVectors): Promise<void> {
    const { dimension, tenantId, baseId, generation } = namespace;
    const own = { ...fieldsOf(namespace), document_id: id };
    if ((await this.#records.findOne({ ...own, revision: { $gt: revision } }, { projection: { _id: 1 } })) !== null)
      return;
    const rows = Math.max(1, Math.floor(BATCH_BYTES / (dimension * FLOAT_BYTES)));
    for (let part = 0; part * rows < Math.max(1, chunkNumbers.length); part++) {
      const floats = vectors.subarray(part * rows * dimension, (part + 1) * rows * dimension);
      const _id = JSON.stringify([tenantId, baseId, generation, id, revision, part]);
      const stored = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
      const record = {
        ...own,
        revision,
        part,
        ns: chunkNumbers.slice(part * rows, (part + 1) * rows),
        vectors: stored,
      };
      await this.#records.replaceOne({ _id }, record, { upsert: true });
    }
    await this.#records.deleteMany({ ...own, revision: { $lt: revision } });
  }

  async remove(namespace: Omit<VectorNamespace, 'dimension'>, documents: readonly string[]): Promise<void> {
    await this.#records.deleteMany({ ...fieldsOf(namespace), document_id: { $in: [...documents] } });
  }

  async removeGeneration(namespace: Omit<VectorNamespace, 'dimension'>): Promise<void> {
    await this.#records.deleteMany(fieldsOf(namespace));
  }

  async removeAll({ tenantId, baseId }: Namespace): Promise<void> {
    await this.#records.deleteMany({ tenant_id: tenantId, base_id: baseId });
  }

  async load(key: IndexKey, id: string): Promise<LoadedDocument | null> {
    const own = { ...fieldsOf(key), document_id: id };
    const newest = await this.#records.findOne(own, { sort: { revision: -1 }, projection: { revision: 1 } });
    if (newest === null) return null;
    const { revision } = newest;
    const records = this.#records
      .find({ ...own, revision })
      .sort({ part: 1 })
      .batchSize(4);
    async function* pages() {
      for await (const { ns, vectors } of records)
        yield { kind: 'vectors' as const, chunkNumbers: ns, vectors: floatsOf(vectors) };
    }
    return { revision, pages: pages() };
  }

  async list(
    key: Pick<VectorNamespace, 'tenantId' | 'baseId' | 'generation'>,
    after: string,
    limit: number,
  ): Promise<IndexedDocument[]> {
    const first = { ...fieldsOf(key), part: 0, document_id: { $gt: after } };
    const found = await this.#records
      .find(first, { projection: { document_id: 1, revision: 1 } })
      .sort({ document_id: 1, revision: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ document_id: id, revision }) => ({ id, revision }));
  }
}

/** Vector store with vectors in the database and exact search in index files. */
export function createEmbeddedVectors(records: VectorRecords, synchronizer: Synchronizer, log: ChangeLog): VectorStore {
  const changed = (namespace: Omit<VectorNamespace, 'dimension'>, ids: readonly string[]): Promise<void> =>
    synchronizer.publishChanges(keyOf(namespace), ids);
  return {
    name: 'embedded',
    async put(namespace, documents) {
      for (const document of documents) assertFits(document, namespace);
      for (const document of documents) await records.put(namespace, document);
      if (documents.length > 0)
        await changed(
          namespace,
          documents.map(({ id }) => id),
        );
    },
    async remove(namespace, ids) {
      if (ids.length === 0) return;
      await records.remove(namespace, ids);
      await changed(namespace, ids);
    },
    async removeGeneration(namespace) {
      await records.removeGeneration(namespace);
      await synchronizer.drop(keyOf(namespace));
    },
    async removeAll(namespace) {
      await records.removeAll(namespace);
      for (const key of await log.indexesOf(namespace, 'vectors')) await synchronizer.drop(key);
    },
    async search(namespace, vector, options) {
      assertFinite(vector, namespace);
      return options.limit < 1 ? [] : synchronizer.search(keyOf(namespace), vector, options);
    },
    documents: (namespace, after, limit) => records.list(namespace, after ?? '', limit),
    // The store is the database, which has a check of its own.
    ready: async () => true,
  };
}

const keyOf = ({ tenantId, baseId, generation }: Omit<VectorNamespace, 'dimension'>): IndexKey => ({
  tenantId,
  baseId,
  kind: 'vectors',
  generation,
});

const fieldsOf = ({ tenantId, baseId, generation }: Omit<VectorNamespace, 'dimension'>) => ({
  tenant_id: tenantId,
  base_id: baseId,
  generation,
});

function assertFits({ chunkNumbers, vectors, id }: DocumentVectors, { dimension }: VectorNamespace): void {
  if (vectors.length !== chunkNumbers.length * dimension)
    throw new AppError(
      'invalid_request',
      `The vectors of ${id} are not ${chunkNumbers.length} vectors of ${dimension} dimensions`,
    );
  for (const value of vectors)
    if (!Number.isFinite(value))
      throw new AppError('invalid_request', `A vector of ${id} has a value that is not a finite number`);
}

function assertFinite(vector: Float32Array, { dimension }: VectorNamespace): void {
  if (vector.length !== dimension)
    throw new AppError('invalid_request', `The vector has ${vector.length} dimensions instead of ${dimension}`);
  for (const value of vector)
    if (!Number.isFinite(value))
      throw new AppError('invalid_request', 'The vector has a value that is not a finite number');
}
