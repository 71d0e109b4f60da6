import { createParsers, PARSE_LIMITS, type ParseLimits } from '../../lib/documents';
import type { Parsers } from '../../lib/documents/contract';
import { compiledFile } from './compiled';

/** The compiled program of the threads that read files. */
export const parsingWorker = (): string =>
  compiledFile('lib/documents/threads/worker.ts', ['lib/csv', 'lib/documents', 'lib/xml', 'lib/zip']);

/** Readers of files with real threads, whose program is compiled first. To be closed. */
export const openParsers = (limits: Partial<ParseLimits> = {}): Parsers =>
  createParsers({ ...PARSE_LIMITS, ...limits }, parsingWorker());
