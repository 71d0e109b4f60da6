import type { JsonSchema } from '../../../lib/schema';

/** Keys that the language keeps and ignores. */
const KEPT = { pattern: '^(?:ui|position|notes|x_.*)$' } as const;

/** The schema of `propertyNames` of what has these keys. */
export const keysOf = (keys: readonly string[]): JsonSchema =>
  keys.length === 0 ? KEPT : { anyOf: [{ enum: [...keys] }, KEPT] };
