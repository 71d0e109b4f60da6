import { AppError } from './errors';

/** A concurrent change invalidated the state that a write was based on. The write was not made and may be retried. */
export class WriteConflict extends AppError {
  constructor() {
    super('conflict', 'The record was changed by another request; try again');
  }
}

/** The result of an attempt; null for a write conflict. @throws any other fault */
export async function nullOnConflict<T>(attempt: Promise<T>): Promise<T | null> {
  try {
    return await attempt;
  } catch (fault) {
    if (fault instanceof WriteConflict) return null;
    throw fault;
  }
}
