import { parseDuration } from '../../lib/duration';
import { isObject } from '../../lib/json';
import { outputTextFault } from '../../lib/output-text';
import { isSafeRedirect } from '../../lib/safe-redirect';
import { hasExpression } from '../interpolation';
import { zoneOf } from '../expression/functions/instant';
import { cronFault } from './cron';
import { checkSignature } from './signature';
import { type Issues, memberPath, typeName } from './issues';
import { checkDuration, checkNumber, checkWord } from './policies';
import type { Setting } from './trigger-types';

const MAX_TEXT_CHARS = 200;
/** Seconds. */
const MIN_SECONDS = { interval: 1, poll: 10, 'slow poll': 30 } as const;
const MAX_URL_CHARS = 2_000;
const MAX_TEXTS = 50;
const MAX_PROSE_CHARS = 5_000;

/** Checks one setting of a trigger. */
export function checkSetting(value: unknown, setting: Setting, path: string, issues: Issues): void {
  if (typeof setting !== 'string') {
    if (typeof value === 'string') checkWord(value, setting, path, issues);
    else issues.error(path, `must be one of ${setting.join(', ')}, not ${typeName(value)}`);
    return;
  }
  switch (setting) {
    case 'duration':
      return checkDuration(value, path, issues);
    case 'interval':
    case 'poll':
    case 'slow poll':
      return checkInterval(value, path, MIN_SECONDS[setting], issues);
    case 'port':
      return checkNumber(value, path, { min: 1, max: 65_535, whole: true }, issues);
    case 'flag':
      return typeof value === 'boolean'
        ? undefined
        : issues.error(path, `must be true or false, not ${typeName(value)}`);
    case 'texts':
      return checkTexts(value, path, issues);
    case 'map':
      return checkMap(value, path, issues);
    case 'signature':
      return checkSignature(value, path, issues);
    case 'prose':
    case 'output text':
      return checkProse(value, setting, path, issues);
    case 'redirect':
      return checkRedirect(value, path, issues);
    case 'expression':
      return checkExpressionText(value, path, issues);
    case 'text':
    case 'cron':
    case 'zone':
    case 'url':
    case 'signal':
      return checkText(value, setting, path, issues);
  }
}

/** Checks a duration after which something is done again. */
function checkInterval(value: unknown, path: string, seconds: number, issues: Issues): void {
  const ms = parseDuration(value);
  const shortest = seconds === 1 ? 'a second' : `${seconds} seconds`;
  if (ms !== null && ms > 0 && ms < seconds * 1_000)
    issues.error(path, `is shorter than ${shortest}`, `write ${seconds}s`);
  else checkDuration(value, path, issues);
}

function checkText(
  value: unknown,
  setting: 'text' | 'cron' | 'zone' | 'url' | 'signal',
  path: string,
  issues: Issues,
): void {
  if (typeof value !== 'string') return issues.error(path, `must be text, not ${typeName(value)}`);
  const longest = setting === 'url' ? MAX_URL_CHARS : MAX_TEXT_CHARS;
  if (value.trim() === '') return issues.error(path, 'is empty');
  if (value.length > longest) return issues.error(path, `is longer than ${longest} characters`);
  if (setting === 'cron') {
    const fault = cronFault(value);
    if (fault !== null) issues.error(path, fault, 'write five fields: "30 9 * * mon-fri" is 9:30 on workdays');
  } else if (setting === 'zone' && zoneOf(value) === null) {
    issues.error(path, 'is not a time zone', 'write one such as Europe/Berlin');
  } else if (setting === 'url' && !isWebAddress(value)) {
    issues.error(path, 'is not a web address', 'write https://...');
  } else if (setting === 'signal' && (value.startsWith('$') || value.startsWith('approve-'))) {
    issues.error(path, 'names that begin with $ or approve- are taken', 'choose another name');
  }
}

/** A URL that begins with an expression is only known when its secret is. */
const isWebAddress = (text: string): boolean =>
  hasExpression(text) ? /^(https?:\/\/|\{\{)/.test(text) : URL.canParse(text) && /^https?:/i.test(text);

function checkProse(value: unknown, setting: 'prose' | 'output text', path: string, issues: Issues): void {
  if (typeof value !== 'string') return issues.error(path, `must be text, not ${typeName(value)}`);
  if (value.length > MAX_PROSE_CHARS) return issues.error(path, `is longer than ${MAX_PROSE_CHARS} characters`);
  const fault = setting === 'output text' ? outputTextFault(value) : null;
  if (fault !== null) issues.error(path, fault);
}

function checkRedirect(value: unknown, path: string, issues: Issues): void {
  if (typeof value !== 'string') return issues.error(path, `must be text, not ${typeName(value)}`);
  if (value.length > MAX_URL_CHARS) return issues.error(path, `is longer than ${MAX_URL_CHARS} characters`);
  if (!isSafeRedirect(value)) issues.error(path, 'must be an https address, or http to localhost', 'write https://...');
}

function checkExpressionText(value: unknown, path: string, issues: Issues): void {
  if (typeof value === 'string' && hasExpression(value)) return;
  issues.error(path, 'must be text with an expression', 'write "{{ trigger.body.id }}"');
}

function checkTexts(value: unknown, path: string, issues: Issues): void {
  if (!Array.isArray(value)) return issues.error(path, `must be a list of texts, not ${typeName(value)}`);
  if (value.length === 0 || value.length > MAX_TEXTS)
    issues.error(path, `has ${value.length}; there are 1 to ${MAX_TEXTS}`);
  for (const [index, each] of value.entries()) checkText(each, 'text', memberPath(path, index), issues);
}

function checkMap(value: unknown, path: string, issues: Issues): void {
  if (!isObject(value)) return issues.error(path, `must be an object, not ${typeName(value)}`);
  for (const key of Object.keys(value)) checkText(value[key], 'text', memberPath(path, key), issues);
}
