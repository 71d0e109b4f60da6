import { splitInterpolation } from '../interpolation';
import { ExpressionError } from '../expression/error';

/** The size of a value, counted up to the first limit that it exceeds. */
type Measured =
  | { readonly kind: 'too_deep' | 'too_long' | 'too_many' }
  | { readonly kind: 'measured'; readonly expressions: number; readonly expressionText: number };

interface MeasureLimits {
  readonly jsonDepth: number;
  readonly text: number;
  readonly values: number;
}

/** Measures a document before it is checked, in one walk, level by level. Total on any JSON. */
export function measure(root: unknown, limits: MeasureLimits): Measured {
  let [text, values, expressions, expressionText] = [0, 0, 0, 0];
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.jsonDepth) return { kind: 'too_deep' };
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') {
        text += value.length;
        if (text > limits.text) return { kind: 'too_long' };
        const found = expressionsOf(value);
        expressions += found.length;
        for (const source of found) expressionText += source.length;
      } else if (typeof value === 'object' && value !== null) {
        text += lengthOfKeys(value);
        for (const member of Object.values(value)) next.push(member);
      }
      text += 4;
    }
    values += next.length;
    if (values > limits.values) return { kind: 'too_many' };
    if (text > limits.text) return { kind: 'too_long' };
    level = next;
  }
  return { kind: 'measured', expressions, expressionText };
}

const lengthOfKeys = (value: object): number =>
  Array.isArray(value) ? 0 : Object.keys(value).reduce((length, key) => length + key.length, 0);

/** The sources of the expressions of a text; an unclosed one counts as a whole. */
function expressionsOf(text: string): readonly string[] {
  if (!text.includes('{{')) return [];
  try {
    return splitInterpolation(text).flatMap((piece) => (piece.kind === 'expression' ? [piece.source] : []));
  } catch (fault) {
    if (!(fault instanceof ExpressionError)) throw fault;
    return [text];
  }
}
