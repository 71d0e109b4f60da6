import type { EmbeddingView } from '../contract';
import type { BaseRecord, DocumentRecord } from '../models';

/** What there is to be done about a document. */
export type Task =
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
  const lacking = document.revision === 0 ? undefined : lackingOf(document, base)[0];
  if (lacking !== undefined) return { kind: 'embed', generation: lacking };
  const check = document.source.kind === 'url' ? document.source.next_check_at : null;
  if (check === null) return { kind: 'rest', until: null };
  return check.getTime() <= now ? { kind: 'check' } : { kind: 'rest', until: check };
}

/** Generations that every document has to be in: the one that is searched, and the one that takes its place. Pure. */
export function generationsOf({ generation, embedding, reembedding }: Omit<Base, 'state'>): Generation[] {
  const searched = { number: generation, embedding };
  return reembedding?.state === 'running'
    ? [searched, { number: reembedding.generation, embedding: reembedding.embedding }]
    : [searched];
}

/** Of those, the ones that the document is not in. Pure. */
export const lackingOf = ({ generations }: Pick<DocumentRecord, 'generations'>, base: Omit<Base, 'state'>) =>
  generationsOf(base).filter(({ number }) => !generations.includes(number));
