import { compileQuery, type Selection } from './compile';
import { parseQuery } from './parse';

export type { Selection } from './compile';

/** Compiles a list filter. Pure. @throws AppError invalid_query with the position of the fault */
export const readQuery = (query: string, now: number): Selection => compileQuery(parseQuery(query), now);
