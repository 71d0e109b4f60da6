import { AppError } from './errors';

/** The answer to paths without a route, and to routes of operators where the caller is none. */
export const nothingHere = (): AppError => new AppError('not_found', 'There is nothing at this path');
