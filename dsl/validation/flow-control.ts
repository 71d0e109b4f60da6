import { parseDuration } from '../../lib/duration';
import { isObject } from '../../lib/json';
import { FLOW_LIMITS } from '../document';
import { checkSharedName } from './concurrency';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkDuration, checkNumber } from './policies';

type Scope = Omit<ExpressionScope, 'node' | 'noSecrets' | 'atStart'>;

const RATE_HINT = 'write {"limit": 10, "period": "1m"}';
const DEBOUNCE_HINT = 'write {"period": "30s", "key": "{{ trigger.body.id }}"}';
const BATCH_HINT = 'write {"max_size": 100, "period": "1m"}';
const KEY_HINT = 'write "{{ trigger.body.customer }}", or leave it out: then all runs share the limit';
const PRIORITY_HINT = 'write a number from 1 (last) to 5 (first), or "{{ trigger.body.urgent ? 5 : 3 }}"';

/** Checks `throttle`, `rate_limit`, `debounce`, `batch` and `priority`. */
export function checkFlowControl(document: Readonly<Record<string, unknown>>, scope: Scope, issues: Issues): void {
  checkRate(document.throttle, 'throttle', ['limit', 'period', 'key', 'name', 'burst'], scope, issues);
  checkRate(document.rate_limit, 'rate_limit', ['limit', 'period', 'key', 'name'], scope, issues);
  checkDebounce(document.debounce, scope, issues);
  checkBatch(document.batch, scope, issues);
  if (document.debounce !== undefined && document.batch !== undefined)
    issues.error('batch', 'a workflow has debounce or batch, not both', 'leave one of them out');
  checkPriority(document.priority, scope, issues);
}

function checkDebounce(value: unknown, scope: Scope, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) return issues.error('debounce', `must be an object, not ${typeName(value)}`, DEBOUNCE_HINT);
  checkKeys(value, ['period', 'key', 'max_wait'], 'debounce', 'debounce', issues);
  checkPeriod(value.period, 'debounce.period', DEBOUNCE_HINT, issues);
  if (value.max_wait !== undefined) checkPeriod(value.max_wait, 'debounce.max_wait', DEBOUNCE_HINT, issues);
  const [period, maxWait] = [parseDuration(value.period), parseDuration(value.max_wait)];
  if (period !== null && maxWait !== null && maxWait < period)
    issues.error('debounce.max_wait', 'shorter than period', 'raise it, or leave it out');
  checkKey(value.key, 'debounce', scope, issues);
}

function checkBatch(value: unknown, scope: Scope, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) return issues.error('batch', `must be an object, not ${typeName(value)}`, BATCH_HINT);
  checkKeys(value, ['max_size', 'period', 'key'], 'batch', 'batch', issues);
  if (value.max_size === undefined) issues.error('batch.max_size', 'is missing', BATCH_HINT);
  const size = { min: FLOW_LIMITS.minBatch, max: FLOW_LIMITS.maxBatch, whole: true };
  checkNumber(value.max_size, 'batch.max_size', size, issues);
  checkPeriod(value.period, 'batch.period', BATCH_HINT, issues);
  checkKey(value.key, 'batch', scope, issues);
}

function checkPeriod(value: unknown, path: string, hint: string, issues: Issues): void {
  if (value === undefined) return issues.error(path, 'is missing', hint);
  checkDuration(value, path, issues);
  const ms = parseDuration(value) ?? 0;
  if (ms > 0 && (ms < FLOW_LIMITS.minPeriodMs || ms > FLOW_LIMITS.maxPeriodMs))
    issues.error(path, 'must be from 1s to 30d', hint);
}

function checkRate(value: unknown, path: string, keys: readonly string[], scope: Scope, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) return issues.error(path, `must be an object, not ${typeName(value)}`, RATE_HINT);
  checkKeys(value, keys, path, path, issues);
  const { limit, period, burst, key } = value;
  if (limit === undefined) issues.error(`${path}.limit`, 'is missing', RATE_HINT);
  checkNumber(limit, `${path}.limit`, { min: 1, max: FLOW_LIMITS.limit, whole: true }, issues);
  checkPeriod(period, `${path}.period`, period === undefined ? RATE_HINT : 'raise or lower the limit instead', issues);
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(limit, FLOW_LIMITS.limit) : FLOW_LIMITS.limit;
  if (keys.includes('burst')) checkNumber(burst, `${path}.burst`, { min: 1, max: most, whole: true }, issues);
  checkSharedName(value.name, `${path}.name`, issues);
  checkKey(key, path, scope, issues);
}

function checkKey(key: unknown, path: string, scope: Scope, issues: Issues): void {
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
