import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseBounds } from '../parse';

/** A file as it goes to a thread; its content is handed over. */
export interface FileMessage {
  readonly id: number;
  readonly request: ParseRequest;
  readonly bounds: ParseBounds;
}

/** Chunks go in parts, so that taking them never holds up the process for long. */
export const CHUNKS_PER_MESSAGE = 500;

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'chunking'; readonly id: number }
  | { readonly kind: 'chunks'; readonly id: number; readonly chunks: readonly Chunk[] }
  /** The result but for its chunks, which came before. */
  | { readonly kind: 'done'; readonly id: number; readonly result: ParseResult };
