const DUPLICATE_KEY = 11_000;

/** True for a violation of a unique index (MongoDB's E11000). */
export const isDuplicateKey = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === DUPLICATE_KEY;
