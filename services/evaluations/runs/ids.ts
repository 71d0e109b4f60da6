import { derivedId } from '../../../lib/ids';

/** The id of the run of a row. Derived, so that a second start finds the first run. */
export const runIdOf = (ids: Buffer, evaluationId: string, versionId: string, attempt: number): string =>
  derivedId(ids, 'evaluation', evaluationId, versionId, String(attempt));

/** The id of the result of a row: inserted once. */
export const resultIdOf = (evaluationId: string, versionId: string): string => `${evaluationId}:${versionId}`;
