import { ofTenant } from '../../../lib/tenant';
import { bytesOf, floatsOf } from '../../../lib/binary';
import { EmbeddingError, embedTexts } from '../embedding';
import { HASHED_DIMENSION, hashedVector } from '../../../lib/search/hashed-vectors';
import type { EmbeddingView } from '../../../contracts/knowledge/views';
import { type DocumentRecord, type EmbeddingBatchRecord, embeddingBatchId } from '../models';
import type { KnowledgeDeps } from '../deps';
import type { SearchableChunk } from './chunks';
import { IngestError } from './ingest-error';
import { type Generation, generationsOf } from './task';

type Deps = Pick<KnowledgeDeps, 'models' | 'vectors' | 'providers' | 'call'>;
type DocumentKey = Pick<DocumentRecord, '_id' | 'tenant_id' | 'base_id'>;

/** Chunks per request to a model. The vectors of a batch are stored until the vector store has all of them. */
const BATCH_CHUNKS = 32;
/** Per document: all vectors of a document are in memory when they are put into the store. */
const MAX_VECTOR_BYTES = 256 * 1024 * 1024;
/** Texts hashed before the event loop gets control. */
const HASHES_PER_SLICE = 64;

interface Progress {
  readonly signal: AbortSignal;
  /** Called after new vectors were computed. `chunks`: chunks embedded so far. */
  onEmbedded(chunks: number): Promise<void>;
  /** Called before the vectors are put into the store. */
  onBeforePut?(): Promise<void>;
}

/**
 * Embeds the chunks of a revision and puts the vectors into a generation. Each batch is stored before the next request to
 * the model, so a crash does not cost the same request twice.
 * @throws EmbeddingError; IngestError too_large; AppError unavailable if the store cannot be reached
 */
export async function putVectors(
  deps: Deps,
  document: DocumentKey,
  { revision, chunks }: { readonly revision: number; readonly chunks: readonly SearchableChunk[] },
  generation: Generation,
  progress: Progress,
): Promise<void> {
  const { number, embedding } = generation;
  const { dimension, vectors } =
    embedding === null
      ? await hashVectors(chunks, progress)
      : await modelVectors(deps, document, { revision, chunks }, { number, embedding }, progress);
  if (chunks.length === 0) return;
  const namespace = { tenantId: document.tenant_id, baseId: document.base_id, generation: number, dimension };
  const chunkNumbers = chunks.map(({ n }) => n);
  await progress.onBeforePut?.();
  await deps.vectors.put(namespace, [{ id: document._id, revision, chunkNumbers, vectors }]);
}

interface Vectors {
  readonly dimension: number;
  readonly vectors: Float32Array;
}

async function hashVectors(chunks: readonly SearchableChunk[], { signal }: Progress): Promise<Vectors> {
  const vectors = new Float32Array(chunks.length * HASHED_DIMENSION);
  for (const [at, { text }] of chunks.entries()) {
    if (at % HASHES_PER_SLICE === HASHES_PER_SLICE - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    vectors.set(hashedVector(text), at * HASHED_DIMENSION);
  }
  return { dimension: HASHED_DIMENSION, vectors };
}

async function modelVectors(
  deps: Deps,
  document: DocumentKey,
  { revision, chunks }: { readonly revision: number; readonly chunks: readonly SearchableChunk[] },
  generation: { readonly number: number; readonly embedding: EmbeddingView },
  progress: Progress,
): Promise<Vectors> {
  const batches = ofTenant(deps.models.embeddingBatches, document.tenant_id);
  let { dimension } = generation.embedding;
  let vectors = new Float32Array(0);
  assertVectorsFit(chunks.length, dimension ?? 0);
  for (let from = 0; from < chunks.length; from += BATCH_CHUNKS) {
    progress.signal.throwIfAborted();
    const batch = chunks.slice(from, from + BATCH_CHUNKS);
    const _id = embeddingBatchId(document._id, revision, generation.number, from);
    const stored = await batches.findOne({ _id });
    const reused = stored === null ? null : decodeBatch(stored, batch.length, dimension);
    const result = reused ?? (await requestVectors(batch));
    if (dimension === null) await pinDimension(deps, document, generation.number, result.dimension);
    dimension = result.dimension;
    if (reused === null) await saveBatch(_id, result);
    assertVectorsFit(chunks.length, dimension);
    if (from === 0) vectors = new Float32Array(chunks.length * dimension);
    vectors.set(result.vectors, from * dimension);
    // A reused batch is no progress: otherwise a document whose put crashes the process would be retried without a limit.
    if (reused === null) await progress.onEmbedded(from + batch.length);
  }
  return { dimension: dimension ?? 0, vectors };

  async function requestVectors(batch: readonly SearchableChunk[]): Promise<Vectors> {
    const texts = batch.map(({ text }) => text);
    const owner = { call: deps.call, tenantId: document.tenant_id };
    const embedding = { ...generation.embedding, dimension };
    return embedTexts(deps.providers, owner, embedding, texts, { requestKind: 'job', signal: progress.signal });
  }

  async function saveBatch(_id: string, { dimension: length, vectors: floats }: Vectors): Promise<void> {
    await batches.remove({ _id });
    await batches.insert({
      _id,
      dimension: length,
      vectors: Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength),
    });
  }
}

/** @throws IngestError */
function assertVectorsFit(chunks: number, dimension: number): void {
  if (chunks * dimension * Float32Array.BYTES_PER_ELEMENT <= MAX_VECTOR_BYTES) return;
  const size = `${chunks} vectors of ${dimension} dimensions`;
  const hint = "Split it, make the base's chunks larger, or choose a model with shorter vectors";
  throw new IngestError(
    'too_large',
    `The document has ${size}, more than ${MAX_VECTOR_BYTES / 1024 / 1024} MiB. ${hint}`,
  );
}

/** Returns null if the stored batch has another size or dimension. */
function decodeBatch(
  { dimension, vectors }: EmbeddingBatchRecord,
  count: number,
  expected: number | null,
): Vectors | null {
  const isWhole = bytesOf(vectors).length === count * dimension * Float32Array.BYTES_PER_ELEMENT;
  if (!isWhole || (expected !== null && expected !== dimension)) return null;
  return { dimension, vectors: floatsOf(vectors) };
}

/** Stores the dimension of the model's first vectors. @throws EmbeddingError if another process has stored a different one */
async function pinDimension(
  { models }: Deps,
  { tenant_id, base_id }: DocumentKey,
  generation: number,
  dimension: number,
): Promise<void> {
  const bases = ofTenant(models.bases, tenant_id);
  await bases.update(
    { _id: base_id, generation, 'embedding.dimension': null },
    { $set: { 'embedding.dimension': dimension } },
  );
  await bases.update(
    { _id: base_id, 'reembedding.generation': generation, 'reembedding.embedding.dimension': null },
    { $set: { 'reembedding.embedding.dimension': dimension } },
  );
  const base = await bases.findOne({ _id: base_id });
  const pinned = base === null ? undefined : generationsOf(base).find(({ number }) => number === generation);
  const length = pinned?.embedding?.dimension;
  if (length !== undefined && length !== null && length !== dimension)
    throw new EmbeddingError(
      'dimension_mismatch',
      `the model returned vectors of ${dimension} and of ${length} dimensions`,
    );
}
