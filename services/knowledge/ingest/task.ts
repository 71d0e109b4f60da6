import type { EmbeddingView } from '../../../contracts/knowledge/views';
import type { BaseRecord, DocumentRecord } from '../models';

/** Next task of a document. */
type DocumentTask =
  /** The document or its base is removed. */
  | { readonly kind: 'remove' }
  | { readonly kind: 'ingest' }
  /** Remove the data of earlier revisions. */
  | { readonly kind: 'clean_up' }
  | { readonly kind: 'embed'; readonly generation: Generation }
  /** Fetch the URL again. */
  | { readonly kind: 'check' }
  | { readonly kind: 'idle'; readonly until: Date | null };

/** Vectors of a base by one model. `embedding` is null for hashed vectors. */
export interface Generation {
  readonly number: number;
  readonly embedding: EmbeddingView | null;
}

type State = Pick<DocumentRecord, 'state' | 'next' | 'leftovers' | 'revision' | 'generations' | 'source'>;
type Base = Pick<BaseRecord, 'state' | 'generation' | 'embedding' | 'reembedding'>;

/** `base` is null if its record no longer exists. Pure. */
export function taskOf(document: State, base: Base | null, now: number): DocumentTask {
  if (document.state !== 'live' || base?.state !== 'live') return { kind: 'remove' };
  if (document.next !== null) return { kind: 'ingest' };
  if (document.leftovers) return { kind: 'clean_up' };
  const active = activeGeneration(base);
  const lacksVectors = document.revision > 0 && !document.generations.includes(active.number);
  if (lacksVectors) return { kind: 'embed', generation: active };
  const check = document.source.kind === 'url' ? document.source.next_check_at : null;
  if (check === null) return { kind: 'idle', until: null };
  return check.getTime() <= now ? { kind: 'check' } : { kind: 'idle', until: check };
}

/** The generation that searches use. A document is ready only with vectors in it. Pure. */
export const activeGeneration = ({ generation, embedding }: Pick<Base, 'generation' | 'embedding'>): Generation => ({
  number: generation,
  embedding,
});

/** The active generation, and the one that a running re-embedding fills. Pure. */
export function generationsOf(base: Omit<Base, 'state'>): Generation[] {
  const { reembedding } = base;
  return reembedding?.state === 'running'
    ? [activeGeneration(base), { number: reembedding.generation, embedding: reembedding.embedding }]
    : [activeGeneration(base)];
}
