import { join } from 'node:path';
import { chunkSource } from './chunking';
import type { Parsers } from './contract';
import { readMarkdown } from './formats/markdown';
import { PARSE_LIMITS, type ParseLimits } from './limits';
import { cleanText } from './text';
import { ThreadPool } from './threads/pool';

export { PARSE_LIMITS, type ParseLimits } from './limits';

/** Path of the compiled worker. */
const ENTRY = join(__dirname, 'threads', 'worker.js');

/** Parses files in threads, and chunks texts inline. Starts no thread before the first file. */
export function createParsers(limits: ParseLimits = PARSE_LIMITS, entry: string = ENTRY): Parsers {
  const pool = new ThreadPool(entry, limits);
  return {
    parse: (request, signal, onStage) => pool.parse(request, signal, () => onStage?.('chunking')),
    chunkText: (text, chunking) =>
      chunkSource(readMarkdown(cleanText(text), 'markdown').source, chunking, limits.chunks),
    close: () => pool.close(),
  };
}
