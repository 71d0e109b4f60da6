import { AppError } from '../errors';
import type { Json } from '../json';
import { JsonError, type JsonLimits, type JsonRefusal } from '../json/limits';
import { parseJsonSliced } from '../json/parse-sliced';

const LIMITS: JsonLimits = {
  // The database allows 100 levels, and a body becomes part of a record.
  depth: 64,
  values: 1_000_000,
  members: 30_000,
  unicode: false,
};

/**
 * Parses a JSON body within limits. Every key is kept, also `__proto__` and `constructor`: the parser creates own
 * properties, and later code copies by spread or from text, never by assignment.
 * @throws AppError invalid_json, invalid_request (encoding)
 */
export const parseJson = (body: string | Uint8Array): Promise<Json> => parse(body, LIMITS);

/**
 * The same, but rejects strings with lone surrogates (RFC 7493 section 2.1): UTF-8 cannot store them, so a name,
 * password or signal would silently change.
 * @throws AppError invalid_json, invalid_request (encoding)
 */
export const parseJsonText = (body: string | Uint8Array): Promise<Json> => parse(body, { ...LIMITS, unicode: true });

async function parse(body: string | Uint8Array, limits: JsonLimits): Promise<Json> {
  try {
    return await parseJsonSliced(body, limits);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    const code = cause.refusal.kind === 'encoding' ? 'invalid_request' : 'invalid_json';
    throw new AppError(code, describe(cause.refusal), {}, { cause });
  }
}

function describe(refusal: JsonRefusal): string {
  switch (refusal.kind) {
    case 'syntax':
      return `The body is not valid JSON, line ${refusal.line}, column ${refusal.column}`;
    case 'depth':
      return `The body nests deeper than ${refusal.limit} levels`;
    case 'values':
      return `The body holds more than ${refusal.limit} values`;
    case 'members':
      return `An object in the body has more than ${refusal.limit} members; use an array instead`;
    case 'unicode':
      return 'The body holds half of a surrogate pair (\\ud800 to \\udfff alone), which is not text';
    case 'encoding':
      return 'The body is not valid UTF-8';
  }
}
