import type { EmbeddingView } from '../../../contracts/knowledge/views';
import type { BaseRecord, DocumentRecord } from '../models';

/** What there is to be done about a document. */
type Task =
  /** It, or its base, is gone for everybody. */
  | { readonly kind: 'remove' }
  | { readonly kind: 'ingest' }
  /** What earlier revisions have left goes. */
  | { readonly kind: 'tidy' }
  | { readonly kind: 'embed'; readonly generation: Generation }
  /** Its address is asked whether it has something new. */
  | { readonly kind: 'check' }
  | { readonly kind: 'rest'; readonly until: Date | null };

/** Vectors of a base by one model; null for hashed ones. */
export interface Generation {
  readonly number: number;
  readonly embedding: EmbeddingView | null;
}

type State = Pick<DocumentRecord, 'state' | 'next' | 'leftovers' | 'revision' | 'generations' | 'source'>;
type Base = Pick<BaseRecord, 'state' | 'generation' | 'embedding' | 'reembedding'>;

/** Pure. `base`: null where it is gone altogether. */
export function taskOf(document: State, base: Base | null, now: number): Task {
  if (document.state !== 'live' || base?.state !== 'live') return { kind: 'remove' };
  if (document.next !== null) return { kind: 'ingest' };
  if (document.leftovers) return { kind: 'tidy' };
  const searched = searchedOf(base);
  const isLacking = document.revision > 0 && !document.generations.includes(searched.number);
  if (isLacking) return { kind: 'embed', generation: searched };
  const check = document.source.kind === 'url' ? document.source.next_check_at : null;
  if (check === null) return { kind: 'rest', until: null };
  return check.getTime() <= now ? { kind: 'check' } : { kind: 'rest', until: check };
}

/** The vectors that are searched, without which no document is ready. Pure. */
export const searchedOf = ({ generation, embedding }: Pick<Base, 'generation' | 'embedding'>): Generation => ({
  number: generation,
  embedding,
});

/** Those, and the ones that take their place once the base's own work has made them for all documents. Pure. */
export function generationsOf(base: Omit<Base, 'state'>): Generation[] {
  const { reembedding } = base;
  return reembedding?.state === 'running'
    ? [searchedOf(base), { number: reembedding.generation, embedding: reembedding.embedding }]
    : [searchedOf(base)];
}
