import { errorCode, ERRORS } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';

/** The kinds of error that RFC 7644 section 3.12 names, as far as they are in use here. */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A refusal, as SCIM clients read it. It does not leave the service: see `errorOf`. */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    readonly scimType: ScimType | null,
    message: string,
  ) {
    super(message);
  }
}

export const invalidFilter = (message: string): ScimError => new ScimError(400, 'invalidFilter', message);
export const invalidValue = (message: string): ScimError => new ScimError(400, 'invalidValue', message);
export const invalidSyntax = (message: string): ScimError => new ScimError(400, 'invalidSyntax', message);
export const notUnique = (message: string): ScimError => new ScimError(409, 'uniqueness', message);

/** Status and body of an error that a client may see. @throws the error itself when it is a fault of the service */
export function errorOf(error: unknown): { status: number; body: JsonObject } {
  if (error instanceof ScimError)
    return { status: error.status, body: bodyOf(error.status, error.message, error.scimType) };
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status >= 500) throw error;
  return { status: ERRORS[code].status, body: bodyOf(ERRORS[code].status, (error as Error).message) };
}

const bodyOf = (status: number, detail: string, scimType: ScimType | null = null): JsonObject => ({
  schemas: [ERROR_URN],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail,
});
