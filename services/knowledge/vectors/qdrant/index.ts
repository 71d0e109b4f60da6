import { QdrantClient } from '@qdrant/js-client-rest';
import { batchesOf } from '../../../../lib/batches';
import type { Clock } from '../../../../lib/clock';
import type { QdrantConfig } from '../../../../lib/qdrant-config';
import { byScore } from '../../../../lib/search/fusion';
import type { DocumentVectors, VectorNamespace, VectorStore } from '../contract';
import { Collections } from './collections';
import {
  afterDocument,
  otherRevisions,
  type Filter,
  ofBase,
  ofDocuments,
  ofGeneration,
  onlyFirst,
  chunkOf,
  pointsOf,
} from './points';
import { send, sendOrNull, type RequestOptions } from './requests';

/** Per request. */
const TIMEOUT_MS = { write: 30_000, read: 5_000, health: 1_000 } as const;
const MAX_ATTEMPTS = { write: 4, read: 2 } as const;
/** Vector components per upsert, about 2 MiB as JSON. Qdrant accepts 32 MiB. */
const MAX_UPSERT_FLOATS = 150_000;
const MAX_DOCUMENTS_PER_REQUEST = 200;

/**
 * Vector store in Qdrant, shared by all processes. Writes wait until Qdrant has applied them, so they are visible to every
 * process. Points have their tenant, base and generation as payload, and every request filters by them.
 */
export function createQdrantVectors(options: {
  readonly config: QdrantConfig;
  /** Prefix of collection names. */
  readonly namespace: string;
  readonly clock: Clock;
}): VectorStore {
  const writer = clientOf(options.config, TIMEOUT_MS.write);
  const reader = clientOf(options.config, TIMEOUT_MS.read);
  const healthClient = clientOf(options.config, TIMEOUT_MS.health);
  const writeOptions: RequestOptions = { clock: options.clock, maxAttempts: MAX_ATTEMPTS.write };
  const readOptions: RequestOptions = { clock: options.clock, maxAttempts: MAX_ATTEMPTS.read };
  const collections = new Collections(writer, writeOptions, options.namespace);

  /** Runs `write`; if the collection was removed meanwhile, creates it and runs `write` again. */
  async function inCollection(dimension: number, write: (name: string) => Promise<void>): Promise<void> {
    const name = await collections.ensure(dimension);
    const isWritten = await sendOrNull(writeOptions, async () => {
      await write(name);
      return true;
    });
    if (isWritten !== null) return;
    collections.invalidate(dimension);
    const recreated = await collections.ensure(dimension);
    await send(writeOptions, () => write(recreated));
  }

  async function putBatch(namespace: VectorNamespace, documents: readonly DocumentVectors[]): Promise<void> {
    const all = documents.map((document) => ({ document, points: pointsOf(namespace, document) }));
    const { dimension } = namespace;
    await inCollection(dimension, async (name) => {
      const { found: newer } = await revisionsOf(
        name,
        otherRevisions(ofGeneration(namespace), documents, 'newer'),
        2 * documents.length,
      );
      const wanted = all.filter(({ document }) => !newer.has(document.id));
      for (const points of batchesOf(
        wanted.flatMap(({ points }) => points),
        Math.max(1, Math.floor(MAX_UPSERT_FLOATS / dimension)),
      ))
        await writer.upsert(name, { wait: true, points });
      if (wanted.length === 0) return;
      const older = otherRevisions(
        ofGeneration(namespace),
        wanted.map(({ document }) => document),
        'older',
      );
      await writer.delete(name, { wait: true, filter: older });
    });
  }

  /** Reads up to `limit` points from `offset`. Returns the newest revision of each document, and whether these were the last points. */
  async function revisionsOf(name: string, filter: Filter, limit: number, offset?: string) {
    const { points, next_page_offset } = await reader.scroll(name, {
      filter: onlyFirst(filter),
      limit,
      ...(offset === undefined ? {} : { offset }),
      with_payload: PAYLOAD_FIELDS,
      with_vector: false,
    });
    const found = new Map<string, number>();
    for (const { payload } of points) {
      const { documentId, revision } = chunkOf(payload);
      found.set(documentId, Math.max(revision, found.get(documentId) ?? 0));
    }
    return { found, isAll: next_page_offset === null || next_page_offset === undefined };
  }

  /** Reads a full page of documents, although a document may have points of two revisions. */
  async function pageOf(
    name: string,
    namespace: VectorNamespace,
    after: string | null,
    limit: number,
  ): Promise<Map<string, number>> {
    const page = new Map<string, number>();
    for (let last = after; page.size < limit; last = [...page.keys()].at(-1) ?? null) {
      const offset = last === null ? undefined : afterDocument(namespace, last);
      const { found, isAll } = await revisionsOf(name, ofGeneration(namespace), limit - page.size, offset);
      for (const [id, revision] of found) page.set(id, revision);
      if (isAll) break;
    }
    return page;
  }

  const removeFrom = async (name: string, filter: Filter): Promise<void> => {
    await sendOrNull(writeOptions, () => writer.delete(name, { wait: true, filter }));
  };

  async function removeEverywhere(filter: Filter): Promise<void> {
    for (const name of await collections.list()) await removeFrom(name, filter);
  }

  return {
    name: 'qdrant',
    async put(namespace, documents) {
      for (const some of batchesOf(documents, MAX_DOCUMENTS_PER_REQUEST)) await putBatch(namespace, some);
    },
    async remove(namespace, documentIds) {
      for (const ids of batchesOf(documentIds, MAX_DOCUMENTS_PER_REQUEST))
        await removeFrom(collections.nameOf(namespace.dimension), ofDocuments(ofGeneration(namespace), ids));
    },
    removeGeneration: (namespace) => removeEverywhere(ofGeneration(namespace)),
    removeAll: (namespace) => removeEverywhere(ofBase(namespace)),
    async search(namespace, vector, { limit, documents, signal }) {
      signal?.throwIfAborted();
      if (vector.length !== namespace.dimension)
        throw new RangeError(`The query vector has ${vector.length} dimensions instead of ${namespace.dimension}`);
      if (documents?.size === 0) return [];
      const filter = documents === null ? ofGeneration(namespace) : ofDocuments(ofGeneration(namespace), documents);
      const answer = sendOrNull(readOptions, () =>
        reader.query(collections.nameOf(namespace.dimension), {
          query: Array.from(vector),
          filter,
          limit,
          with_payload: PAYLOAD_FIELDS,
          with_vector: false,
        }),
      );
      const found = await (signal === undefined ? answer : abortable(answer, signal));
      return (found?.points ?? []).map(({ payload, score }) => ({ ...chunkOf(payload), score })).sort(byScore);
    },
    async documents(namespace, after, limit) {
      const found = await sendOrNull(readOptions, () =>
        pageOf(collections.nameOf(namespace.dimension), namespace, after, limit),
      );
      return [...(found ?? [])].map(([id, revision]) => ({ id, revision }));
    },
    async ready() {
      try {
        await healthClient.getCollections();
        return true;
      } catch {
        // Any failure means not ready.
        return false;
      }
    },
  };
}

/** Payload fields that queries return. */
const PAYLOAD_FIELDS = ['document_id', 'revision', 'n'];

const clientOf = ({ host, port, https, prefix, apiKey }: QdrantConfig, timeout: number): QdrantClient =>
  new QdrantClient({
    host,
    port,
    https,
    prefix,
    timeout,
    checkCompatibility: false,
    // As a header: with the option `apiKey` the client prints a warning for connections without TLS.
    headers: apiKey === null ? {} : { 'api-key': apiKey },
  });

/** Rejects when the signal aborts. The client cannot abort a request, so its response is ignored. */
function abortable<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
