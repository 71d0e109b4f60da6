import type { Document } from 'bson';

/** A difference that is known, harmless and accepted, with the reason. */
interface Tolerance {
  reason: string;
  applies(asked: unknown, ours: unknown, real: unknown): boolean;
}

const TOLERATED: Tolerance[] = [];

/** True when the first difference of a scenario is one of the accepted ones. */
export const isTolerated = (asked: Document | string | undefined, ours: unknown, real: unknown): boolean =>
  TOLERATED.some((tolerance) => tolerance.applies(asked, ours, real));
