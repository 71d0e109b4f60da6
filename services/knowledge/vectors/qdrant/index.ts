import { QdrantClient } from '@qdrant/js-client-rest';
import type { Clock } from '../../../../lib/clock';
import type { QdrantConfig } from '../../../../lib/qdrant-config';
import { byScore } from '../../../../lib/search/fusion';
import type { DocumentVectors, VectorNamespace, VectorStore } from '../contract';
import { Collections } from './collections';
import {
  afterDocument,
  besideThem,
  type Filter,
  ofBase,
  ofDocuments,
  ofSpace,
  onlyFirst,
  placeOf,
  pointsOf,
} from './points';
import { ask, askIfThere, type RequestKind } from './requests';

/** Timeouts of one request: a search waits less long than a job. */
const TIMEOUT_MS = { writing: 30_000, asking: 5_000, looking: 1_000 } as const;
const TRIES = { writing: 4, asking: 2 } as const;
/** Numbers in one request to put points, about 2 MiB as JSON; Qdrant takes 32 MiB. */
const MAX_NUMBERS = 150_000;
/** Documents that one request names. */
const MAX_DOCUMENTS = 200;

/**
 * Vectors in Qdrant, which is shared by all processes. A put is there for everybody once it was acknowledged: writes wait
 * until they are applied. A point names its tenant, base and generation, and every request asks for all three of them.
 */
export function createQdrantVectors(options: {
  readonly config: QdrantConfig;
  /** Begins the names of the collections. */
  readonly namespace: string;
  readonly clock: Clock;
}): VectorStore {
  const writer = clientOf(options.config, TIMEOUT_MS.writing);
  const reader = clientOf(options.config, TIMEOUT_MS.asking);
  const prober = clientOf(options.config, TIMEOUT_MS.looking);
  const writing: RequestKind = { clock: options.clock, tries: TRIES.writing };
  const asking: RequestKind = { clock: options.clock, tries: TRIES.asking };
  const collections = new Collections(writer, writing, options.namespace);

  /** Once more where the collection was removed since it was last looked at. */
  async function inCollection(dimension: number, write: (name: string) => Promise<void>): Promise<void> {
    const name = await collections.ready(dimension);
    const isThere = await askIfThere(writing, async () => {
      await write(name);
      return true;
    });
    if (isThere !== null) return;
    collections.forget(dimension);
    const made = await collections.ready(dimension);
    await ask(writing, () => write(made));
  }

  async function putSome(space: VectorNamespace, documents: readonly DocumentVectors[]): Promise<void> {
    const all = documents.map((document) => ({ document, points: pointsOf(space, document) }));
    const { dimension } = space;
    await inCollection(dimension, async (name) => {
      const { found: newer } = await revisionsOf(
        name,
        besideThem(ofSpace(space), documents, 'newer'),
        2 * documents.length,
      );
      const wanted = all.filter(({ document }) => !newer.has(document.id));
      for (const points of batched(
        wanted.flatMap(({ points }) => points),
        Math.max(1, Math.floor(MAX_NUMBERS / dimension)),
      ))
        await writer.upsert(name, { wait: true, points });
      if (wanted.length === 0) return;
      const older = besideThem(
        ofSpace(space),
        wanted.map(({ document }) => document),
        'older',
      );
      await writer.delete(name, { wait: true, filter: older });
    });
  }

  /** The newest revision that each document has among so many points from an id on, and whether there are more. */
  async function revisionsOf(name: string, filter: Filter, limit: number, offset?: string) {
    const { points, next_page_offset } = await reader.scroll(name, {
      filter: onlyFirst(filter),
      limit,
      ...(offset === undefined ? {} : { offset }),
      with_payload: PLACE,
      with_vector: false,
    });
    const found = new Map<string, number>();
    for (const { payload } of points) {
      const { documentId, revision } = placeOf(payload);
      found.set(documentId, Math.max(revision, found.get(documentId) ?? 0));
    }
    return { found, isAll: next_page_offset === null || next_page_offset === undefined };
  }

  /** A whole page, also where some documents have points of two revisions just now. */
  async function pageOf(
    name: string,
    space: VectorNamespace,
    after: string | null,
    limit: number,
  ): Promise<Map<string, number>> {
    const page = new Map<string, number>();
    for (let last = after; page.size < limit; last = [...page.keys()].at(-1) ?? null) {
      const offset = last === null ? undefined : afterDocument(space, last);
      const { found, isAll } = await revisionsOf(name, ofSpace(space), limit - page.size, offset);
      for (const [id, revision] of found) page.set(id, revision);
      if (isAll) break;
    }
    return page;
  }

  const removeFrom = async (name: string, filter: Filter): Promise<void> => {
    await askIfThere(writing, () => writer.delete(name, { wait: true, filter }));
  };

  async function removeEverywhere(filter: Filter): Promise<void> {
    for (const name of await collections.all()) await removeFrom(name, filter);
  }

  return {
    name: 'qdrant',
    async put(space, documents) {
      for (const some of batched(documents, MAX_DOCUMENTS)) await putSome(space, some);
    },
    async remove(space, documentIds) {
      for (const ids of batched(documentIds, MAX_DOCUMENTS))
        await removeFrom(collections.nameOf(space.dimension), ofDocuments(ofSpace(space), ids));
    },
    removeGeneration: (space) => removeEverywhere(ofSpace(space)),
    removeAll: (space) => removeEverywhere(ofBase(space)),
    async search(space, vector, { limit, documents, signal }) {
      signal?.throwIfAborted();
      if (vector.length !== space.dimension)
        throw new RangeError(`A space of ${space.dimension} dimensions has no place for a vector of ${vector.length}`);
      if (documents?.size === 0) return [];
      const filter = documents === null ? ofSpace(space) : ofDocuments(ofSpace(space), documents);
      const answer = askIfThere(asking, () =>
        reader.query(collections.nameOf(space.dimension), {
          query: Array.from(vector),
          filter,
          limit,
          with_payload: PLACE,
          with_vector: false,
        }),
      );
      const found = await (signal === undefined ? answer : unlessAborted(answer, signal));
      return (found?.points ?? []).map(({ payload, score }) => ({ ...placeOf(payload), score })).sort(byScore);
    },
    async documents(space, after, limit) {
      const found = await askIfThere(asking, () => pageOf(collections.nameOf(space.dimension), space, after, limit));
      return [...(found ?? [])].map(([id, revision]) => ({ id, revision }));
    },
    async ready() {
      try {
        await prober.getCollections();
        return true;
      } catch {
        // Whatever it says, or does not say: it cannot be used now.
        return false;
      }
    },
  };
}

/** What of a payload is read. */
const PLACE = ['document_id', 'revision', 'n'];

const clientOf = ({ host, port, https, prefix, apiKey }: QdrantConfig, timeout: number): QdrantClient =>
  new QdrantClient({
    host,
    port,
    https,
    prefix,
    timeout,
    checkCompatibility: false,
    // As a header, since the client warns on the console of a key without TLS, which is the operator's to decide.
    headers: apiKey === null ? {} : { 'api-key': apiKey },
  });

function* batched<T>(items: readonly T[], most: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most);
}

/** The client cannot abort a request: its answer is ignored. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
