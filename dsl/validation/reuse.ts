import { isObject, type Json } from '../../lib/json';
import { hasExpression } from '../interpolation';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkDuration } from './policies';

const CACHE_HINT = 'write "10m", or {"ttl": "10m", "key": "{{ ... }}"}';
const NO_SECRETS = 'a secret may not be used in the key of a cache: it would be kept with the output';

/** Checks `cache`: a duration, or `{ttl, key}`. */
export function checkCache(
  value: unknown,
  path: string,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  issues: Issues,
): void {
  if (value === undefined) return;
  if (typeof value === 'string' || typeof value === 'number') return checkDuration(value, path, issues);
  if (!isObject(value)) {
    issues.error(path, `must be a duration or an object, not ${typeName(value)}`, CACHE_HINT);
    return;
  }
  checkKeys(value, ['ttl', 'key'], path, 'cache', issues);
  if (value.ttl === undefined) issues.error(`${path}.ttl`, 'is missing', CACHE_HINT);
  checkDuration(value.ttl, `${path}.ttl`, issues);
  const { key } = value;
  if (key === undefined) return;
  if (typeof key !== 'string' || key === '') {
    issues.error(`${path}.key`, key === '' ? 'is empty' : `must be text, not ${typeName(key)}`, CACHE_HINT);
    return;
  }
  checkExpressions(key, `${path}.key`, { ...scope, noSecrets: NO_SECRETS }, issues);
}

/** Checks a pinned output, in which no expressions are evaluated. */
export function checkPin(value: unknown, path: string, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) issues.error(path, `must be an object, the output of the step, not ${typeName(value)}`);
  else if (hasExpressions(value as Json)) issues.warn(path, 'expressions in a pinned output are not read');
}

const hasExpressions = (value: Json): boolean => {
  if (typeof value === 'string') return hasExpression(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasExpressions);
};
