import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import type { KnowledgeAnswer, SearchMode } from '../../../contracts/knowledge/views';
import { EmbeddingError, type EmbeddingOwner, embedTexts } from '../embedding';
import { hashedVector } from '../../../lib/search/hashed-vectors';
import type { IndexHit, SearchOptions } from '../../../lib/search/contract';
import type { BaseRecord } from '../models';
import type { Providers } from '../providers';
import type { VectorStore } from '../vectors/contract';

/** Result of the vector search. `hits` is null if it failed; `warning` then has the reason. */
export interface VectorResult {
  readonly mode: SearchMode;
  readonly hits: readonly IndexHit[] | null;
  readonly warning: string | null;
  readonly usage: NonNullable<KnowledgeAnswer['usage']> | null;
}

interface VectorSearchDeps {
  readonly vectors: VectorStore;
  readonly providers: Providers;
}

/** Hashed vectors of unrelated texts have scores up to this value by chance. */
const MIN_HASHED_SCORE = 0.1;

interface QueryVector {
  readonly vector: Float32Array;
  readonly usage: VectorResult['usage'];
}

/**
 * Returns a search function for one query. The query is embedded once, on the first call. If the provider or the store
 * fails, the result has a warning instead of hits.
 */
export function vectorSearch(
  deps: VectorSearchDeps,
  owner: EmbeddingOwner,
  base: BaseRecord,
  question: string,
): (options: SearchOptions) => Promise<VectorResult> {
  let queryVector: Promise<QueryVector | null> | null = null;
  return async (options) => {
    try {
      queryVector ??= queryVectorOf(deps, owner, base, question);
      const found = await queryVector;
      const mode = base.embedding === null ? 'lexical' : 'hybrid';
      if (found === null) return { mode, hits: [], warning: null, usage: null };
      const { vector, usage } = found;
      const dimension = vector.length;
      const namespace = { tenantId: base.tenant_id, baseId: base._id, generation: base.generation, dimension };
      const near = await deps.vectors.search(namespace, vector, options);
      const hits = mode === 'hybrid' ? near : near.filter(({ score }) => score >= MIN_HASHED_SCORE);
      return { mode, hits, warning: null, usage };
    } catch (fault) {
      return { mode: 'lexical', hits: null, warning: warningOf(fault), usage: null };
    }
  };
}

/** Null for a query without words, and for a base that has no vectors yet. */
async function queryVectorOf(
  { providers }: VectorSearchDeps,
  owner: EmbeddingOwner,
  { embedding }: BaseRecord,
  question: string,
): Promise<QueryVector | null> {
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

/** @throws the error itself, unless the provider or the store failed */
function warningOf(fault: unknown): string {
  if (fault instanceof EmbeddingError)
    return `Searched by words only: the query could not be embedded (${fault.code}: ${fault.message})`;
  const code = errorCode(fault);
  if (code !== undefined && ERRORS[code].retryable)
    return `Searched by words only: the vectors could not be searched (${errorMessage(fault)})`;
  throw fault;
}
