import { AppError } from '../../../lib/errors';

/** A fault of a query with its position in characters. */
export const faultAt = (position: number, message: string): AppError =>
  new AppError('invalid_query', `The query cannot be read at position ${position}: ${message}`, {
    details: [{ path: 'query', message: `position ${position}: ${message}` }],
    body: { position },
  });
