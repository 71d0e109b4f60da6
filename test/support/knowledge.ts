import type {
  Answered,
  KnowledgeAdded,
  KnowledgeFound,
  KnowledgeHit,
  KnowledgeQuestion,
  NewKnowledge,
  NodeKnowledge,
} from '../../nodes/contract';

const refused = <T>(base: string): Answered<T> => ({
  kind: 'refused',
  error: { code: 'knowledge_base_not_found', message: `There is no knowledge base ${base}` },
  retryable: false,
});

/** A hit as a test has it; what is left out is made up. */
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

/** Knowledge bases in memory, by name, whose answers to any question are scripted; it remembers what it was asked. */
export class FakeKnowledge implements NodeKnowledge {
  readonly asked: KnowledgeQuestion[] = [];
  readonly added: NewKnowledge[] = [];
  /** What each question is answered with; a text stands for one hit. */
  readonly bases = new Map<string, Partial<KnowledgeFound>>();

  async query(question: KnowledgeQuestion): Promise<Answered<KnowledgeFound>> {
    this.asked.push(question);
    const found = this.bases.get(question.base);
    if (found === undefined) return refused(question.base);
    const value = { hits: [], mode: 'lexical', baseId: `id-of-${question.base}`, warnings: [], ...found } as const;
    return { kind: 'done', value: { ...value, hits: value.hits.slice(0, question.topK ?? 5) } };
  }

  async add(document: NewKnowledge): Promise<Answered<KnowledgeAdded>> {
    if (!this.bases.has(document.base)) return refused(document.base);
    const known = this.added.some(({ id }) => id === document.id);
    if (!known) this.added.push(document);
    const { id, base, name = 'Untitled' } = document;
    const made = { documentId: id, baseId: `id-of-${base}`, name, status: 'ready', chunks: 1, duplicate: false };
    return { kind: 'done', value: made };
  }
}
