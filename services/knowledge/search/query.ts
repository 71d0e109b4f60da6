import { AppError } from '../../../lib/errors';
import type { KnowledgeQuery } from '../../../contracts/knowledge/views';
import { type Filter, readFilter } from './filter';
import { type Rerank, readRerank } from './rerank';

const DEFAULT_TOP_K = 5;

/** A question to a base, checked. */
export interface SearchQuery {
  readonly text: string;
  readonly topK: number;
  /** Hits below are left out. */
  readonly minScore: number;
  readonly filter: Filter | null;
  readonly rerank: Rerank | null;
}

/** Checks what the params cannot. Pure. @throws AppError invalid_query */
export function readQuery({ query, top_k, min_score, filter, rerank }: KnowledgeQuery): SearchQuery {
  if (query.trim() === '') throw new AppError('invalid_query', "'query' is empty");
  return {
    text: query,
    topK: top_k ?? DEFAULT_TOP_K,
    minScore: min_score ?? 0,
    filter: filter === undefined || filter === null ? null : readFilter(filter),
    rerank: rerank === undefined || rerank === null ? null : readRerank(rerank),
  };
}
