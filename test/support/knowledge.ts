import type {
  PlatformResult,
  KnowledgeAdded,
  KnowledgeResult,
  KnowledgeHit,
  KnowledgeQuery,
  NewKnowledge,
  NodeKnowledge,
} from '../../nodes/contract';

const refused = <T>(base: string): PlatformResult<T> => ({
  kind: 'refused',
  error: { code: 'knowledge_base_not_found', message: `There is no knowledge base ${base}` },
  retryable: false,
});

/** A hit; fields that are left out get defaults. */
export const knowledgeHit = (given: Partial<KnowledgeHit> & { text: string }): KnowledgeHit => ({
  document_id: 'document',
  document_name: 'Handbook',
  chunk_id: `document:1:${given.text.length}`,
  score: 1,
  page: null,
  heading: null,
  highlights: [],
  metadata: {},
  url: null,
  ...given,
});

/** Knowledge bases in memory, by name, with scripted answers; records the queries. */
export class FakeKnowledge implements NodeKnowledge {
  readonly asked: KnowledgeQuery[] = [];
  readonly added: NewKnowledge[] = [];
  /** The answers to all queries; a text stands for one hit. */
  readonly bases = new Map<string, Partial<KnowledgeResult>>();

  async query(question: KnowledgeQuery): Promise<PlatformResult<KnowledgeResult>> {
    this.asked.push(question);
    const found = this.bases.get(question.base);
    if (found === undefined) return refused(question.base);
    const value = { hits: [], mode: 'lexical', baseId: `id-of-${question.base}`, warnings: [], ...found } as const;
    return { kind: 'done', value: { ...value, hits: value.hits.slice(0, question.topK ?? 5) } };
  }

  async add(document: NewKnowledge): Promise<PlatformResult<KnowledgeAdded>> {
    if (!this.bases.has(document.base)) return refused(document.base);
    const known = this.added.some(({ id }) => id === document.id);
    if (!known) this.added.push(document);
    const { id, base, name = 'Untitled' } = document;
    const made = { documentId: id, baseId: `id-of-${base}`, name, status: 'ready', chunks: 1, duplicate: false };
    return { kind: 'done', value: made };
  }
}
