import type { JsonObject } from '../../lib/json';
import type { KnowledgeQuery } from '../contract';

/** Search options of a step. */
export interface KnowledgeInput {
  knowledge_base: string;
  top_k?: number;
  min_score?: number;
  filter?: JsonObject;
  rerank?: JsonObject;
}

/** The question to the base. */
export const questionOf = (input: KnowledgeInput, query: string): KnowledgeQuery => {
  const { knowledge_base: base, top_k: topK, min_score: minScore, filter, rerank } = input;
  return {
    base,
    query,
    ...(topK === undefined ? {} : { topK }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(filter === undefined ? {} : { filter }),
    ...(rerank === undefined ? {} : { rerank }),
  };
};
