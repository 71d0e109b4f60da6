import type { Migration } from '../step';
import { earlierIndexes } from './indexes';
import { timers } from './timers';
import { segments, vectors } from './vectors';

/** Every step, in the order of its number. A new one is a file and a line here. */
export const MIGRATIONS: readonly Migration[] = [timers, earlierIndexes, vectors, segments];
