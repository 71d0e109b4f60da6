import { parseDuration } from '../../lib/duration';
import { isObject } from '../../lib/json';
import { FLOW_LIMITS } from '../document';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkDuration, checkNumber } from './policies';

type Scope = Omit<ExpressionScope, 'node' | 'noSecrets' | 'atStart'>;

const RATE_HINT = 'write {"limit": 10, "period": "1m"}';
const KEY_HINT = 'write "{{ trigger.body.customer }}", or leave it out: then all runs share the limit';
const PRIORITY_HINT = 'write a number from 1 (last) to 5 (first), or "{{ trigger.body.urgent ? 5 : 3 }}"';

/** Checks `throttle`, `rate_limit` and `priority`. */
export function checkFlowControl(document: Readonly<Record<string, unknown>>, scope: Scope, issues: Issues): void {
  checkRate(document.throttle, 'throttle', ['limit', 'period', 'key', 'burst'], scope, issues);
  checkRate(document.rate_limit, 'rate_limit', ['limit', 'period', 'key'], scope, issues);
  checkPriority(document.priority, scope, issues);
}

function checkRate(value: unknown, path: string, keys: readonly string[], scope: Scope, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) return issues.error(path, `must be an object, not ${typeName(value)}`, RATE_HINT);
  checkKeys(value, keys, path, path, issues);
  const { limit, period, burst, key } = value;
  if (limit === undefined) issues.error(`${path}.limit`, 'is missing', RATE_HINT);
  checkNumber(limit, `${path}.limit`, { min: 1, max: FLOW_LIMITS.limit, whole: true }, issues);
  if (period === undefined) issues.error(`${path}.period`, 'is missing', RATE_HINT);
  checkDuration(period, `${path}.period`, issues);
  const ms = parseDuration(period) ?? 0;
  if (ms > 0 && (ms < FLOW_LIMITS.minPeriodMs || ms > FLOW_LIMITS.maxPeriodMs))
    issues.error(`${path}.period`, 'must be from 1s to 30d', 'raise or lower the limit instead');
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(limit, FLOW_LIMITS.limit) : FLOW_LIMITS.limit;
  if (keys.includes('burst')) checkNumber(burst, `${path}.burst`, { min: 1, max: most, whole: true }, issues);
  if (key === undefined) return;
  if (typeof key !== 'string' || key === '')
    return issues.error(`${path}.key`, key === '' ? 'is empty' : `must be text, not ${typeName(key)}`, KEY_HINT);
  const noSecrets = `a secret may not be used in the key of ${path}: keys are shown`;
  checkExpressions(key, `${path}.key`, { ...scope, node: null, noSecrets, atStart: true }, issues);
}

function checkPriority(value: unknown, scope: Scope, issues: Issues): void {
  if (value === undefined) return;
  if (typeof value === 'string') {
    const noSecrets = 'a secret may not be used in the priority';
    if (!/\{\{/.test(value)) issues.error('priority', 'is text without an expression', PRIORITY_HINT);
    return checkExpressions(value, 'priority', { ...scope, node: null, noSecrets, atStart: true }, issues);
  }
  if (typeof value !== 'number')
    return issues.error('priority', `must be a number or an expression, not ${typeName(value)}`, PRIORITY_HINT);
  if (!Number.isInteger(value) || value < 1 || value > 5)
    issues.error('priority', 'must be a whole number from 1 to 5', PRIORITY_HINT);
}
