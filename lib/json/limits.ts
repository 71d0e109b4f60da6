/** Limits of a JSON text, checked before it is parsed. */
export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number;
  /** Maximum members of all arrays and objects. */
  readonly values: number;
  /** Maximum members of one object, which cost much more than those of an array. */
  readonly members: number;
  /** Whether escapes of lone surrogates are rejected: such strings cannot be stored as UTF-8. */
  readonly unicode: boolean;
}

/** Why a JSON text was refused. Offsets are in UTF-16 units from 0, lines and columns from 1. */
export type JsonRefusal =
  | { readonly kind: 'syntax'; readonly offset: number; readonly line: number; readonly column: number }
  | { readonly kind: 'depth' | 'values' | 'members'; readonly limit: number }
  | { readonly kind: 'unicode' }
  | { readonly kind: 'encoding' };

export class JsonError extends SyntaxError {
  override readonly name = 'JsonError';

  constructor(readonly refusal: JsonRefusal) {
    super(describe(refusal));
  }
}

function describe(refusal: JsonRefusal): string {
  switch (refusal.kind) {
    case 'syntax':
      return `The text is not valid JSON, line ${refusal.line}, column ${refusal.column}`;
    case 'depth':
      return `The JSON nests deeper than ${refusal.limit} levels`;
    case 'values':
      return `The JSON has more than ${refusal.limit} values`;
    case 'members':
      return `An object of the JSON has more than ${refusal.limit} members`;
    case 'unicode':
      return 'The JSON has half of a surrogate pair (\\ud800 to \\udfff alone), which is not text';
    case 'encoding':
      return 'The JSON is not valid UTF-8';
  }
}

/** For responses of other systems. */
export const ANSWER_LIMITS: JsonLimits = { depth: 200, values: 5_000_000, members: 100_000, unicode: false };

/** For the program's own texts. */
export const NO_LIMITS: JsonLimits = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
  unicode: false,
};
