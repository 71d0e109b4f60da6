import { AppError } from '../../../lib/errors';
import type { KnowledgeQuery } from '../contract';
import { type Filter, readFilter } from './filter';
import { type Rerank, readRerank } from './rerank';

export const DEFAULT_TOP_K = 5;
export const MOST_TOP_K = 50;
const LONGEST_QUERY = 10_000;

/** A question to a base, checked. */
export interface SearchQuery {
  readonly text: string;
  readonly topK: number;
  /** Hits below are left out. */
  readonly minScore: number;
  readonly filter: Filter | null;
  readonly rerank: Rerank | null;
}

/** What the action `query` takes, beside the base; `readQuery` looks at the rest. */
export const queryParams = {
  query: { type: 'string', min: 1, max: LONGEST_QUERY },
  top_k: { type: 'number', integer: true, min: 1, max: MOST_TOP_K, optional: true },
  min_score: { type: 'number', min: 0, max: 1, optional: true },
  filter: { type: 'any', optional: true, nullable: true },
  rerank: { type: 'any', optional: true, nullable: true },
} as const;

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
