/**
 * What is to be made of a file. `contentType` and `filename` are claims; the bytes decide where they tell. `content` is
 * handed over: where it has a buffer of its own, the caller has it no more.
 */
export interface ParseRequest {
  readonly content: Uint8Array;
  readonly filename: string | null;
  readonly contentType: string | null;
  /** Where the content was fetched from: of HTML, the readable part is taken, and links are made whole by it. */
  readonly url: string | null;
  readonly chunking: ChunkingOptions;
  /** It was sent as a text: it is UTF-8, and Markdown, whatever it begins with. */
  readonly sentAsText?: boolean;
}

/** Sizes in tokens. */
export interface ChunkingOptions {
  readonly maxTokens: number;
  readonly overlapTokens: number;
}

/** A piece of a document, of one kind. Text is plain, but tables, which are Markdown, and code. `page` begins at 1. */
export type Block = { readonly page: number | null; readonly text: string } & (
  | { readonly kind: 'heading'; readonly level: number }
  | { readonly kind: 'paragraph' }
  | { readonly kind: 'list' }
  | { readonly kind: 'table'; readonly header: string | null }
  | { readonly kind: 'code'; readonly language: string | null }
);

/** A cut of the document's plain text: of texts and Markdown their own, of others the blocks' texts joined by empty lines. */
export interface Chunk {
  readonly n: number;
  readonly text: string;
  readonly page: number | null;
  /** Headings above, outermost first. */
  readonly heading: readonly string[];
  /** Offsets (UTF-16) into the plain text; of a cut table, without its repeated header. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** Why a file was not read: a stable word, and a sentence for its owner. */
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

/** Threads that read files: a hostile one costs its own thread, and nothing else. */
export interface Parsers {
  /**
   * `onStage` tells that the text is there and is being cut. Never rejects for what is in the file.
   * @throws the signal's reason when it aborts; Error when they are closed, or no thread can be begun
   */
  parse(request: ParseRequest, signal?: AbortSignal, onStage?: (stage: 'chunking') => void): Promise<ParseResult>;
  /** Cuts a plain text, on the spot; for texts up to 64 KiB. */
  chunkText(text: string, chunking: ChunkingOptions): readonly Chunk[];
  close(): Promise<void>;
}
