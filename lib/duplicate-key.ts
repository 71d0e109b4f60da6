const DUPLICATE_KEY = 11_000;

/** True for a violation of a unique index (MongoDB's E11000). */
export const isDuplicateKey = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === DUPLICATE_KEY;

/** The result of an insert; null when a unique index already has its key. Rethrows other errors. */
export async function nullOnDuplicate<T>(insert: Promise<T>): Promise<T | null> {
  try {
    return await insert;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
