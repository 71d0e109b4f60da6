import { countTokens } from '../../../lib/documents/chunking/tokens';

/** What one request to a provider may carry. Servers of one's own often take no more than 32 texts. */
const MAX_TEXTS = 32;
const MAX_TOKENS = 16_000;

/** A run of texts that go together: `texts.slice(from, to)`. */
interface Batch {
  readonly from: number;
  readonly to: number;
}

/** Cuts a list of texts into requests, in their order; a text that is too large by itself goes alone. Pure. */
export function batchesOf(texts: readonly string[]): Batch[] {
  const batches: Batch[] = [];
  let from = 0;
  let tokens = 0;
  texts.forEach((text, at) => {
    const size = countTokens(text);
    if (at > from && (at - from >= MAX_TEXTS || tokens + size > MAX_TOKENS)) {
      batches.push({ from, to: at });
      from = at;
      tokens = 0;
    }
    tokens += size;
  });
  return from < texts.length ? [...batches, { from, to: texts.length }] : batches;
}
