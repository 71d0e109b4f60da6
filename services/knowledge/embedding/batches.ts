import { countTokens } from '../../../lib/documents/chunking/tokens';

/** Per request. Self-hosted servers often accept at most 32 texts. */
const MAX_TEXTS = 32;
const MAX_TOKENS = 16_000;

/** `texts.slice(from, to)`. */
interface Batch {
  readonly from: number;
  readonly to: number;
}

/** Splits texts into requests, in order. A text over the token limit is a batch of its own. Pure. */
export function requestBatches(texts: readonly string[]): Batch[] {
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
