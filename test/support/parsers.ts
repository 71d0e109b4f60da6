import { createParsers, PARSE_LIMITS, type ParseLimits } from '../../services/knowledge/parsing';
import type { Parsers } from '../../services/knowledge/parsing/contract';
import { compiledFile } from './compiled';

/** The compiled program of the threads that read files. */
export const parsingWorker = (): string =>
  compiledFile('services/knowledge/parsing/threads/worker.ts', ['services/knowledge/parsing', 'lib/zip']);

/** Readers of files with real threads, whose program is compiled first. To be closed. */
export const openParsers = (limits: Partial<ParseLimits> = {}): Parsers =>
  createParsers({ ...PARSE_LIMITS, ...limits }, parsingWorker());
