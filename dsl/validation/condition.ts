import { splitInterpolation } from '../interpolation';
import { ExpressionError } from '../expression/error';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';

const HINT = 'write one expression in braces: "{{ steps.fetch.status == 200 }}"';
const NO_SECRETS = 'a secret may not be used in a condition: conditions are recorded';

/** Checks a condition: true, false, or one expression and nothing else. Other text would be true whatever it says. */
export function checkCondition(
  value: unknown,
  path: string,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  issues: Issues,
): void {
  if (typeof value === 'boolean') return;
  if (value === undefined) issues.error(path, 'is missing', HINT);
  else if (typeof value !== 'string') issues.error(path, `must be an expression, not ${typeName(value)}`, HINT);
  else if (!isOneExpression(value)) issues.error(path, 'must be one expression and nothing else', HINT);
  else checkExpressions(value, path, { ...scope, noSecrets: NO_SECRETS }, issues);
}

/** True when a text is one expression, so that its value keeps its type. Unclosed braces are reported elsewhere. */
export function isOneExpression(text: string): boolean {
  try {
    const pieces = splitInterpolation(text);
    return pieces.length === 1 && pieces[0]?.kind === 'expression';
  } catch (error) {
    if (error instanceof ExpressionError) return true;
    throw error;
  }
}
