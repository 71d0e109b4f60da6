import { ofTenant } from '../../../lib/tenant';
import { bytesOf } from '../documents/contents';
import { EmbeddingError, embedTexts } from '../embedding';
import { HASHED_DIMENSION, hashedVector } from '../../../lib/search/hashed-vectors';
import type { EmbeddingView } from '../../../contracts/knowledge/views';
import { type DocumentRecord, type PaidRecord, paidId } from '../models';
import type { KnowledgeParts } from '../parts';
import type { SearchedChunk } from './chunks';
import { IngestFault } from './fault';
import { type Generation, generationsOf } from './task';

type Parts = Pick<KnowledgeParts, 'models' | 'vectors' | 'providers' | 'call'>;
type Of = Pick<DocumentRecord, '_id' | 'tenant_id' | 'base_id'>;

/** Chunks of one request to a model, whose vectors are kept together until the store has them all. */
const BATCH = 32;
/** Of one document: all are in memory at once when they are put into the store. */
const MAX_VECTOR_BYTES = 256 * 1024 * 1024;
/** Texts that are hashed before others have their turn. */
const HASHED_AT_ONCE = 64;

interface Progress {
  readonly signal: AbortSignal;
  /** So many chunks have their vectors, some of them new ones. */
  done(chunks: number): Promise<void>;
  /** All are there, and are put into the store now. */
  putting?(): Promise<void>;
}

/**
 * Puts the vectors of a revision into a generation. What a model has made is stored before the next is asked for, so
 * that nothing is paid for twice after a crash.
 * @throws EmbeddingError; IngestFault too_large; AppError unavailable where the store cannot be reached
 */
export async function putVectors(
  parts: Parts,
  document: Of,
  { revision, chunks }: { readonly revision: number; readonly chunks: readonly SearchedChunk[] },
  generation: Generation,
  progress: Progress,
): Promise<void> {
  const { number, embedding } = generation;
  const { dimension, vectors } =
    embedding === null
      ? await hashed(chunks, progress)
      : await bought(parts, document, { revision, chunks }, { number, embedding }, progress);
  if (chunks.length === 0) return;
  const space = { tenantId: document.tenant_id, baseId: document.base_id, generation: number, dimension };
  const ns = chunks.map(({ n }) => n);
  await progress.putting?.();
  await parts.vectors.put(space, [{ id: document._id, revision, ns, vectors }]);
}

interface Vectors {
  readonly dimension: number;
  readonly vectors: Float32Array;
}

async function hashed(chunks: readonly SearchedChunk[], { signal }: Progress): Promise<Vectors> {
  const vectors = new Float32Array(chunks.length * HASHED_DIMENSION);
  for (const [at, { text }] of chunks.entries()) {
    if (at % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    vectors.set(hashedVector(text), at * HASHED_DIMENSION);
  }
  return { dimension: HASHED_DIMENSION, vectors };
}

async function bought(
  parts: Parts,
  document: Of,
  { revision, chunks }: { readonly revision: number; readonly chunks: readonly SearchedChunk[] },
  generation: { readonly number: number; readonly embedding: EmbeddingView },
  progress: Progress,
): Promise<Vectors> {
  const paid = ofTenant(parts.models.paid, document.tenant_id);
  let { dimension } = generation.embedding;
  let vectors = new Float32Array(0);
  assertRoom(chunks.length, dimension ?? 0);
  for (let from = 0; from < chunks.length; from += BATCH) {
    progress.signal.throwIfAborted();
    const batch = chunks.slice(from, from + BATCH);
    const _id = paidId(document._id, revision, generation.number, from);
    const before = await paid.findOne({ _id });
    const made = before === null ? null : storedVectors(before, batch.length, dimension);
    const got = made ?? (await ask(batch));
    if (dimension === null) await pinDimension(parts, document, generation.number, got.dimension);
    dimension = got.dimension;
    if (made === null) await keep(_id, got);
    assertRoom(chunks.length, dimension);
    if (from === 0) vectors = new Float32Array(chunks.length * dimension);
    vectors.set(got.vectors, from * dimension);
    // What was there has not gone forward: a document that ends its process whenever it is put would never be given up.
    if (made === null) await progress.done(from + batch.length);
  }
  return { dimension: dimension ?? 0, vectors };

  async function ask(batch: readonly SearchedChunk[]): Promise<Vectors> {
    const texts = batch.map(({ text }) => text);
    const owner = { call: parts.call, tenantId: document.tenant_id };
    const embedding = { ...generation.embedding, dimension };
    return embedTexts(parts.providers, owner, embedding, texts, { requestKind: 'job', signal: progress.signal });
  }

  async function keep(_id: string, { dimension: length, vectors: floats }: Vectors): Promise<void> {
    await paid.remove({ _id });
    await paid.insert({
      _id,
      dimension: length,
      vectors: Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength),
    });
  }
}

/** @throws IngestFault */
function assertRoom(chunks: number, dimension: number): void {
  if (chunks * dimension * Float32Array.BYTES_PER_ELEMENT <= MAX_VECTOR_BYTES) return;
  const size = `${chunks} vectors of ${dimension} numbers`;
  const hint = "Split it, make the base's chunks larger, or choose a model of shorter vectors";
  throw new IngestFault(
    'too_large',
    `The document has ${size}, more than ${MAX_VECTOR_BYTES / 1024 / 1024} MiB. ${hint}`,
  );
}

/** Null where they are not those that are wanted. */
function storedVectors({ dimension, vectors }: PaidRecord, count: number, wanted: number | null): Vectors | null {
  const bytes = bytesOf(vectors);
  const isWhole = bytes.length === count * dimension * Float32Array.BYTES_PER_ELEMENT;
  if (!isWhole || (wanted !== null && wanted !== dimension)) return null;
  // Copied, since floats begin at multiples of four.
  return { dimension, vectors: new Float32Array(new Uint8Array(bytes).buffer) };
}

/** The first vectors of a model set the dimension. @throws EmbeddingError where another process has set another one */
async function pinDimension(
  { models }: Parts,
  { tenant_id, base_id }: Of,
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
    throw new EmbeddingError('dimension_mismatch', `the model answers with ${dimension} numbers, and with ${length}`);
}
