/**
 * A file to parse. `contentType` and `filename` are hints; the bytes decide where they are conclusive. `content` is
 * transferred if it has its own buffer; the caller cannot use it afterwards.
 */
export interface ParseRequest {
  readonly content: Uint8Array;
  readonly filename: string | null;
  readonly contentType: string | null;
  /** The URL it was fetched from: from HTML, the readable part is taken, and links are made absolute. */
  readonly url: string | null;
  readonly chunking: ChunkingOptions;
  /** Submitted as text: it is UTF-8 Markdown, whatever it begins with. */
  readonly sentAsText?: boolean;
}

/** Sizes in tokens. */
export interface ChunkingOptions {
  readonly maxTokens: number;
  readonly overlapTokens: number;
}

/** A block of a document, of one kind. Plain text, except tables (Markdown) and code. `page` begins at 1. */
export type Block = { readonly page: number | null; readonly text: string } & (
  | { readonly kind: 'heading'; readonly level: number }
  | { readonly kind: 'paragraph' }
  | { readonly kind: 'list' }
  | { readonly kind: 'table'; readonly header: string | null }
  | { readonly kind: 'code'; readonly language: string | null }
);

/** A chunk of the plain text: of text and Markdown files their own text, of others the blocks joined by empty lines. */
export interface Chunk {
  readonly n: number;
  readonly text: string;
  readonly page: number | null;
  /** Enclosing headings, outermost first. */
  readonly heading: readonly string[];
  /** Offsets (UTF-16) into the plain text; for a split table, without its repeated header. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** Why a file could not be parsed: a stable code, and a message for its owner. */
export const PARSE_FAULTS = [
  'unsupported_type',
  'encrypted',
  'broken_file',
  'too_large',
  'too_complex',
  'timed_out',
  'no_text',
] as const;
export type ParseFault = (typeof PARSE_FAULTS)[number];

export type ParseResult =
  | {
      readonly kind: 'parsed';
      readonly title: string | null;
      readonly contentType: string;
      readonly pages: number | null;
      readonly chunks: readonly Chunk[];
      readonly tokens: number;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'failed'; readonly code: ParseFault; readonly message: string };

/** Parses files in threads, so that a hostile file affects only its own thread. */
export interface Parsers {
  /**
   * `onStage` reports that the text is extracted and chunking begins. Does not reject for the file's content.
   * @throws the signal's reason when it aborts; Error when the pool is closed, or no thread starts
   */
  parse(request: ParseRequest, signal?: AbortSignal, onStage?: (stage: 'chunking') => void): Promise<ParseResult>;
  /** Chunks a short plain text inline. */
  chunkText(text: string, chunking: ChunkingOptions): readonly Chunk[];
  close(): Promise<void>;
}
