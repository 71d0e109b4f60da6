import { AppError } from '../../../lib/errors';
import type { KnowledgeQuery } from '../../../contracts/knowledge/views';
import { type Filter, parseFilter } from './filter';
import { type RerankConfig, parseRerank } from './rerank';

const DEFAULT_TOP_K = 5;

export interface SearchQuery {
  readonly text: string;
  readonly topK: number;
  /** Hits with a lower score are dropped. */
  readonly minScore: number;
  readonly filter: Filter | null;
  readonly rerank: RerankConfig | null;
  /** Whether hits have their ranking. */
  readonly explain: boolean;
}

/** Validates what the parameter schema cannot. Pure. @throws AppError invalid_query */
export function parseQuery({ query, top_k, min_score, filter, rerank, explain }: KnowledgeQuery): SearchQuery {
  if (query.trim() === '') throw new AppError('invalid_query', "'query' is empty");
  return {
    text: query,
    topK: top_k ?? DEFAULT_TOP_K,
    minScore: min_score ?? 0,
    filter: filter === undefined || filter === null ? null : parseFilter(filter),
    rerank: rerank === undefined || rerank === null ? null : parseRerank(rerank),
    explain: explain === true,
  };
}
