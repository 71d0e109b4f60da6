import type { FromThread } from '../../threads/thread';
import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseBounds } from '../parse';

/** A file for a thread; its content is transferred. */
export interface FileMessage {
  readonly request: ParseRequest;
  readonly bounds: ParseBounds;
}

/** Chunks are sent in parts, so that receiving them does not block the event loop for long. */
export const CHUNKS_PER_MESSAGE = 500;

export type FileProgress =
  | { readonly kind: 'chunking' }
  | { readonly kind: 'chunks'; readonly chunks: readonly Chunk[] };

/** The result comes without its chunks, which were sent before. */
export type FromReader = FromThread<FileProgress, ParseResult>;
