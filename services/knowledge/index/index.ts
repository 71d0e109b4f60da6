import type { IndexMachineOptions } from './contract';
import { SegmentMachine } from './space/machine';

export { HASHED_DIMENSION, hashedVector } from './analysis/hashed';
export { createLexicalIndex } from './lexical';
export type { SegmentMachine } from './space/machine';

/** The machine on which `createLexicalIndex` and `createEmbeddedVectors` rest; once in a process. */
export const openIndexMachine = (options: IndexMachineOptions): SegmentMachine => new SegmentMachine(options);
