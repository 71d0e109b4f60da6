import type { Compute } from '../../lib/compute';
import { AppError } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import { checkSliced } from '../../lib/json-schema/check-sliced';

/** True when a value of a step's configuration contains an expression. */
export const hasExpressions = (value: Json): boolean => JSON.stringify(value).includes('{{');

/**
 * Validates the form of a decision by the schema of its step. An approval without a form is validated as an empty one; a
 * rejection needs none. `root`: the name of the form in the request.
 * @throws AppError invalid_request with the paths, conflict while the step's schema is unknown, unavailable
 */
export async function assertForm(
  compute: Compute,
  form: Json | undefined,
  { approved, form: given = null }: JsonObject,
  root: string,
): Promise<void> {
  if (form === null || (given === null && approved !== true)) return;
  if (form === undefined)
    throw new AppError(
      'conflict',
      'This approval has a form that is not known yet; decide when GET /api/v1/approvals lists it',
    );
  const { of, faults } = await checkSliced(compute, { schema: form, unknownKeywords: 'ignore', root }, given ?? {});
  // Steps reject an invalid schema, so this one was stored by an older version.
  if (of === 'schema' || faults.length === 0) return;
  throw new AppError('invalid_request', 'The form is not filled in as this approval asks; see details', {
    details: [...faults],
  });
}
