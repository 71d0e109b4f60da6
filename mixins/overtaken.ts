import { AppError } from '../lib/errors';

/** Somebody else has changed what a change was decided on, so it was not made, and may be decided again. */
export class Overtaken extends AppError {
  constructor() {
    super('conflict', 'Somebody else was faster');
  }
}

/** The answer of an attempt; null when it was overtaken. @throws whatever else it fails with */
export async function orOvertaken<T>(attempt: Promise<T>): Promise<T | null> {
  try {
    return await attempt;
  } catch (fault) {
    if (fault instanceof Overtaken) return null;
    throw fault;
  }
}
