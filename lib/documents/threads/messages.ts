import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseBounds } from '../parse';

/** A file for a thread; its content is transferred. */
export interface FileMessage {
  readonly id: number;
  readonly request: ParseRequest;
  readonly bounds: ParseBounds;
}

/** Chunks are sent in parts, so that receiving them does not block the event loop for long. */
export const CHUNKS_PER_MESSAGE = 500;

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'chunking'; readonly id: number }
  | { readonly kind: 'chunks'; readonly id: number; readonly chunks: readonly Chunk[] }
  /** The result without its chunks, which were sent before. */
  | { readonly kind: 'done'; readonly id: number; readonly result: ParseResult };
