/**
 * A question to a base: words and vectors are asked at once, and their lists become one. The index and the vectors only
 * propose: what is shown was read from the documents' own records, by tenant and base, so nothing stale or foreign is.
 */
import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { KnowledgeAnswer, KnowledgeHit } from '../../../contracts/knowledge/views';
import type { EmbeddingOwner } from '../embedding';
import type { WordIndex } from '../index/words';
import type { BaseRecord, KnowledgeModels } from '../models';
import type { Providers } from '../providers';
import type { VectorStore } from '../vectors/contract';
import { toMongo } from './filter-query';
import { byScore, fuse, type RankedList, WEIGHTS } from '../../../lib/search/fusion';
import { highlightsOf, markedTerms } from './highlights';
import { type Candidate, visibleOf } from './loading';
import type { SearchQuery } from './query';
import { MAX_RERANKED, rerank } from './rerank';
import { nearest, type VectorAnswer } from './vectors';

export { readQuery } from './query';

/** What a search asks. */
interface SearchWorld {
  readonly models: Pick<KnowledgeModels, 'documents' | 'chunks'>;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
  readonly providers: Providers;
}

/** Documents that a filter may leave: their ids travel to both lists. */
const MAX_FILTERED_DOCUMENTS = 100_000;
const FILTERED_AT_ONCE = 2_000;

/** @throws AppError invalid_query, unknown_secret, unavailable */
export async function search(
  world: SearchWorld,
  owner: EmbeddingOwner,
  base: BaseRecord,
  asked: SearchQuery,
): Promise<KnowledgeAnswer> {
  const documents = await filtered(world, base, asked);
  const found = await candidates(world, owner, base, asked, documents);
  const { hits, warning } = await judged(world, owner, asked, found.shown);
  const terms = markedTerms(asked.text);
  const { usage, mode } = found.vectors;
  return {
    data: hits
      .filter(({ score }) => score >= asked.minScore)
      .slice(0, asked.topK)
      .map((candidate) => hitOf(candidate, terms)),
    mode,
    knowledge_base_id: base._id,
    warnings: [found.vectors.warning, warning].filter((text) => text !== null),
    ...(usage === null ? {} : { usage }),
  };
}

interface Found {
  readonly shown: readonly Candidate[];
  readonly vectors: VectorAnswer;
}

/** Asked once more for a longer list where too much of the first was stale. */
async function candidates(
  world: SearchWorld,
  owner: EmbeddingOwner,
  base: BaseRecord,
  asked: SearchQuery,
  documents: ReadonlySet<string> | null,
): Promise<Found> {
  const wanted = asked.rerank === null ? asked.topK : Math.max(asked.topK, MAX_RERANKED);
  const space = { tenantId: base.tenant_id, baseId: base._id };
  const ask = nearest(world, owner, base, asked.text);
  for (let limit = 3 * wanted + 20; ; limit *= 4) {
    const options = { limit, documents };
    const [words, vectors] = await Promise.all([world.words.search(space, asked.text, options), ask(options)]);
    const weights = WEIGHTS[base.embedding === null ? 'lexical' : 'hybrid'];
    const lists: RankedList[] = [{ weight: weights.words, hits: words }];
    if (vectors.hits !== null) lists.push({ weight: weights.vectors, hits: vectors.hits });
    const shown = await visibleOf(world.models, base, fuse(lists), wanted);
    const isAll = [words, vectors.hits ?? []].every(({ length }) => length < limit);
    if (shown.length >= wanted || isAll || limit > 4 * wanted + 20) return { shown, vectors };
  }
}

/** In the order of a model that was asked to judge them; as they are where it cannot. */
async function judged(
  { providers }: SearchWorld,
  owner: EmbeddingOwner,
  asked: SearchQuery,
  shown: readonly Candidate[],
): Promise<{ hits: readonly Candidate[]; warning: string | null }> {
  if (asked.rerank === null || shown.length === 0) return { hits: shown, warning: null };
  const head = shown.slice(0, MAX_RERANKED);
  const texts = head.map(({ chunk }) => chunk.text);
  const answer = await rerank(providers, owner, asked.rerank, asked.text, texts);
  if ('problem' in answer) return { hits: shown, warning: `The hits are not reranked: ${answer.problem}` };
  const hits = head.map((candidate, n) => ({ ...candidate, score: answer.scores[n] ?? 0 })).sort(byScore);
  return { hits, warning: null };
}

/** The documents that a filter means; null where there is none. */
async function filtered(
  { models }: SearchWorld,
  { tenant_id, _id }: BaseRecord,
  { filter }: SearchQuery,
): Promise<ReadonlySet<string> | null> {
  if (filter === null) return null;
  const query = { base_id: _id, state: 'live' as const, $and: [toMongo(filter)] };
  const found = new Set<string>();
  // In parts: reading all answers of the database at once holds up everything else.
  for (let after = ''; ; ) {
    const part = await ofTenant(models.documents, tenant_id).find(
      { ...query, _id: { $gt: after } },
      { fields: ['_id'], sort: { _id: 1 }, limit: FILTERED_AT_ONCE },
    );
    for (const document of part) found.add(document._id);
    if (found.size > MAX_FILTERED_DOCUMENTS)
      throw new AppError('invalid_query', `'filter' leaves more than ${MAX_FILTERED_DOCUMENTS} documents; narrow it`);
    const last = part.at(-1);
    if (last === undefined || part.length < FILTERED_AT_ONCE) return found;
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
