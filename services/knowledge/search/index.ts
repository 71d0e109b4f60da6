/**
 * Hybrid search: queries the word index and the vectors concurrently and fuses both lists. The indexes only return
 * candidates. Results are read from the records of the tenant and base, so they are never stale or of another tenant.
 */
import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { KnowledgeAnswer, KnowledgeHit } from '../../../contracts/knowledge/views';
import type { EmbeddingOwner } from '../embedding';
import type { WordIndex } from '../index/words';
import type { BaseRecord, KnowledgeModels } from '../models';
import type { Providers } from '../providers';
import type { VectorStore } from '../vectors/contract';
import { toMongoFilter } from './filter-query';
import { byScore, fuse, type RankedList, WEIGHTS } from '../../../lib/search/fusion';
import { rankingOf } from './ranking';
import { highlightsOf, highlightTerms } from './highlights';
import { type Candidate, loadVisibleHits } from './visible-hits';
import type { SearchQuery } from './query';
import { MAX_RERANKED, rerank } from './rerank';
import { vectorSearch, type VectorResult } from './vectors';

export { parseQuery } from './query';

interface SearchDeps {
  readonly models: Pick<KnowledgeModels, 'documents' | 'chunks'>;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
  readonly providers: Providers;
}

/** Documents that a filter may match: their ids are sent to both indexes. */
const MAX_FILTERED_DOCUMENTS = 100_000;
const FILTER_PAGE = 2_000;

/** @throws AppError invalid_query, unknown_secret, unavailable */
export async function search(
  deps: SearchDeps,
  owner: EmbeddingOwner,
  base: BaseRecord,
  query: SearchQuery,
): Promise<KnowledgeAnswer> {
  const documents = await matchingDocuments(deps, base, query);
  const found = await findCandidates(deps, owner, base, query, documents);
  const { hits, warning, isReranked } = await rerankHits(deps, owner, query, found.visible);
  const terms = highlightTerms(query.text);
  const { usage, mode } = found.vectors;
  return {
    data: hits
      .filter(({ score }) => score >= query.minScore)
      .slice(0, query.topK)
      .map((candidate) => ({
        ...hitOf(candidate, terms),
        ...(query.explain ? { ranking: rankingOf(candidate, { ...found, hits, isReranked }) } : {}),
      })),
    mode,
    knowledge_base_id: base._id,
    warnings: [found.vectors.warning, warning].filter((text) => text !== null),
    ...(usage === null ? {} : { usage }),
  };
}

interface SearchCandidates {
  /** In the fused order. */
  readonly visible: readonly Candidate[];
  readonly vectors: VectorResult;
  /** The lists that were fused: by words and, unless that search failed, by vectors. */
  readonly lists: readonly RankedList[];
}

/** Returns visible candidates. Queries a longer list once if too many hits of the first were stale. */
async function findCandidates(
  deps: SearchDeps,
  owner: EmbeddingOwner,
  base: BaseRecord,
  query: SearchQuery,
  documents: ReadonlySet<string> | null,
): Promise<SearchCandidates> {
  const wanted = query.rerank === null ? query.topK : Math.max(query.topK, MAX_RERANKED);
  const namespace = { tenantId: base.tenant_id, baseId: base._id };
  const searchVectors = vectorSearch(deps, owner, base, query.text);
  for (let limit = 3 * wanted + 20; ; limit *= 4) {
    const options = { limit, documents };
    const [words, vectors] = await Promise.all([
      deps.words.search(namespace, query.text, options),
      searchVectors(options),
    ]);
    const weights = WEIGHTS[base.embedding === null ? 'lexical' : 'hybrid'];
    const lists: RankedList[] = [{ weight: weights.words, hits: words }];
    if (vectors.hits !== null) lists.push({ weight: weights.vectors, hits: vectors.hits });
    const visible = await loadVisibleHits(deps.models, base, fuse(lists), wanted);
    const isAll = [words, vectors.hits ?? []].every(({ length }) => length < limit);
    if (visible.length >= wanted || isAll || limit > 4 * wanted + 20) return { visible, vectors, lists };
  }
}

/** Sorts the hits by the scores of the reranking model. If the model fails, keeps their order and returns a warning. */
async function rerankHits(
  { providers }: SearchDeps,
  owner: EmbeddingOwner,
  query: SearchQuery,
  visible: readonly Candidate[],
): Promise<{ hits: readonly Candidate[]; warning: string | null; isReranked: boolean }> {
  if (query.rerank === null || visible.length === 0) return { hits: visible, warning: null, isReranked: false };
  const head = visible.slice(0, MAX_RERANKED);
  const texts = head.map(({ chunk }) => chunk.text);
  const answer = await rerank(providers, owner, query.rerank, query.text, texts);
  if ('problem' in answer) {
    const warning = `The hits were not reranked: ${answer.problem}`;
    return { hits: visible, warning, isReranked: false };
  }
  const hits = head.map((candidate, n) => ({ ...candidate, score: answer.scores[n] ?? 0 })).sort(byScore);
  return { hits, warning: null, isReranked: true };
}

/** Ids of the documents that match the filter; null without a filter. */
async function matchingDocuments(
  { models }: SearchDeps,
  { tenant_id, _id }: BaseRecord,
  { filter }: SearchQuery,
): Promise<ReadonlySet<string> | null> {
  if (filter === null) return null;
  const query = { base_id: _id, state: 'live' as const, $and: [toMongoFilter(filter)] };
  const found = new Set<string>();
  // In pages: decoding one large result would block the event loop.
  for (let after = ''; ; ) {
    const page = await ofTenant(models.documents, tenant_id).find(
      { ...query, _id: { $gt: after } },
      { fields: ['_id'], sort: { _id: 1 }, limit: FILTER_PAGE },
    );
    for (const document of page) found.add(document._id);
    if (found.size > MAX_FILTERED_DOCUMENTS)
      throw new AppError(
        'invalid_query',
        `'filter' matches more than ${MAX_FILTERED_DOCUMENTS} documents; make it more specific`,
      );
    const last = page.at(-1);
    if (last === undefined || page.length < FILTER_PAGE) return found;
    after = last._id;
  }
}

function hitOf({ chunk, document, score }: Candidate, terms: ReadonlySet<string>): KnowledgeHit {
  return {
    document_id: document._id,
    document_name: document.name,
    chunk_id: chunk._id,
    text: chunk.text,
    score: Number(score.toFixed(6)),
    page: chunk.page,
    heading: chunk.heading.length === 0 ? null : chunk.heading.join(' > '),
    highlights: highlightsOf(chunk.text, terms),
    metadata: document.metadata ?? {},
    url: document.source.kind === 'url' ? document.source.url : null,
  };
}
