import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import type { KnowledgeAnswer, SearchMode } from '../../../contracts/knowledge/views';
import { EmbeddingError, type EmbeddingOwner, embedTexts } from '../embedding';
import { hashedVector } from '../../../lib/search/hashed-vectors';
import type { IndexHit, SearchOptions } from '../../../lib/search/contract';
import type { BaseRecord } from '../models';
import type { Providers } from '../providers';
import type { VectorStore } from '../vectors/contract';

/** What the vectors say; `hits` is null where they could not be asked, and `warning` tells why. */
export interface VectorAnswer {
  readonly mode: SearchMode;
  readonly hits: readonly IndexHit[] | null;
  readonly warning: string | null;
  readonly usage: NonNullable<KnowledgeAnswer['usage']> | null;
}

interface World {
  readonly vectors: VectorStore;
  readonly providers: Providers;
}

/** Hashed vectors of texts that have nothing in common are this near each other by chance. */
const FAINTEST = 0.1;

/** The vector of a question; the model is asked once, however often the store is. */
interface Point {
  readonly vector: Float32Array;
  readonly usage: VectorAnswer['usage'];
}

/**
 * Chunks whose vectors are near that of a question, however often they are asked for. An unreachable provider or store costs a
 * warning, not the answer.
 */
export function nearest(
  world: World,
  owner: EmbeddingOwner,
  base: BaseRecord,
  question: string,
): (options: SearchOptions) => Promise<VectorAnswer> {
  let point: Promise<Point | null> | null = null;
  return async (options) => {
    try {
      point ??= pointOf(world, owner, base, question);
      const found = await point;
      const mode = base.embedding === null ? 'lexical' : 'hybrid';
      if (found === null) return { mode, hits: [], warning: null, usage: null };
      const { vector, usage } = found;
      const dimension = vector.length;
      const space = { tenantId: base.tenant_id, baseId: base._id, generation: base.generation, dimension };
      const near = await world.vectors.search(space, vector, options);
      const hits = mode === 'hybrid' ? near : near.filter(({ score }) => score >= FAINTEST);
      return { mode, hits, warning: null, usage };
    } catch (fault) {
      return { mode: 'lexical', hits: null, warning: warningOf(fault), usage: null };
    }
  };
}

/** Null for a question without words, and where no document has had a vector yet. */
async function pointOf(
  { providers }: World,
  owner: EmbeddingOwner,
  { embedding }: BaseRecord,
  question: string,
): Promise<Point | null> {
  if (embedding === null) {
    const vector = hashedVector(question);
    return vector.some((value) => value !== 0) ? { vector, usage: null } : null;
  }
  if (embedding.dimension === null) return null;
  const { vectors, inputTokens, costUsd } = await embedTexts(providers, owner, embedding, [question], {
    requestKind: 'question',
  });
  return { vector: vectors, usage: { input_tokens: inputTokens, cost_usd: costUsd } };
}

/** @throws everything but faults of a provider or a store */
function warningOf(fault: unknown): string {
  if (fault instanceof EmbeddingError)
    return `The search is by words alone: the question could not be embedded (${fault.code}: ${fault.message})`;
  const code = errorCode(fault);
  if (code !== undefined && ERRORS[code].retryable)
    return `The search is by words alone: the vectors could not be searched (${errorMessage(fault)})`;
  throw fault;
}
