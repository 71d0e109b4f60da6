/**
 * The head of a skill by the rules of the open Agent Skills format (agentskills.io), for definition files and the API.
 * Pure, and total on any value.
 */
import { AppError, type ErrorDetail } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import type { SkillHead } from '../../../contracts/skills/views';
import { type Validation, errorAt, invalid, valid } from './validation';
import {
  MAX_DESCRIPTION_CHARS,
  MAX_LICENSE_CHARS,
  MAX_METADATA_KEY_CHARS,
  MAX_METADATA_VALUE_CHARS,
  MAX_NAME_CHARS,
  MAX_TOOL_CHARS,
  MAX_METADATA_KEYS,
  MAX_TOOLS,
} from './limits';
import { parseVersion } from './version';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Control characters except line breaks and tabs, and bidirectional formatting characters. */
const CONTROL_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

type UncheckedHead = { readonly [K in keyof SkillHead]?: unknown };

/** Returns the head, or all errors. */
export function parseHead(given: UncheckedHead): Validation<SkillHead> {
  const errors: ErrorDetail[] = [];
  const head: SkillHead = {
    name: nameOf(given.name, errors),
    description: textOf('description', given.description, MAX_DESCRIPTION_CHARS, errors) ?? '',
    version: versionOf(given.version, errors),
    license: absent(given.license) ? null : textOf('license', given.license, MAX_LICENSE_CHARS, errors),
    metadata: metadataOf(given.metadata, errors),
    allowed_tools: toolsOf(given.allowed_tools, errors),
  };
  return errors.length === 0 ? valid(head) : invalid(errors);
}

/** Returns the problem of a name, or null. */
export const nameProblem = (name: unknown): string | null =>
  typeof name === 'string' && name.length <= MAX_NAME_CHARS && NAME.test(name)
    ? null
    : `must be lower-case letters and digits with single hyphens in between, at most ${MAX_NAME_CHARS} characters, such as fill-forms`;

/** @throws AppError invalid_request */
export function assertName(name: string): void {
  const problem = nameProblem(name);
  if (problem === null) return;
  throw new AppError('invalid_request', `The name ${problem}`, { details: [{ path: 'name', message: problem }] });
}

/** False for a text with a lone surrogate, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** False for a text with lone surrogates or control characters. */
export const isPlainText = (text: string): boolean => isWellFormed(text) && !CONTROL_CHARACTERS.test(text);

const absent = (given: unknown): boolean => given === undefined || given === null || given === '';

function nameOf(given: unknown, errors: ErrorDetail[]): string {
  const problem = absent(given) ? 'is missing' : nameProblem(given);
  if (problem !== null) errors.push(errorAt('name', problem));
  return problem === null ? (given as string) : '';
}

function textOf(path: string, given: unknown, maxChars: number, errors: ErrorDetail[]): string | null {
  if (absent(given)) errors.push(errorAt(path, 'is missing'));
  else if (typeof given !== 'string') errors.push(errorAt(path, 'must be a text'));
  else if (given.trim() === '') errors.push(errorAt(path, 'is empty'));
  else if (given.length > maxChars) errors.push(errorAt(path, `has more than ${maxChars} characters`));
  else if (!isPlainText(given)) errors.push(errorAt(path, 'has control characters'));
  else return given.trim();
  return null;
}

function versionOf(given: unknown, errors: ErrorDetail[]): string | null {
  if (absent(given)) return null;
  const version = typeof given === 'string' ? parseVersion(given) : null;
  if (version !== null) return version;
  errors.push(errorAt('version', 'must be a version such as 1.2.0 (semver.org), without build metadata'));
  return null;
}

function metadataOf(given: unknown, errors: ErrorDetail[]): Record<string, string> {
  if (absent(given)) return {};
  if (!isObject(given)) {
    errors.push(errorAt('metadata', 'must be an object with text values'));
    return {};
  }
  const entries = Object.entries(given);
  if (entries.length > MAX_METADATA_KEYS)
    errors.push(errorAt('metadata', `has more than ${MAX_METADATA_KEYS} entries`));
  const read = entries.slice(0, MAX_METADATA_KEYS).flatMap(([key, entry]): [string, string][] => {
    const text = typeof entry === 'number' || typeof entry === 'boolean' ? String(entry) : entry;
    const path = `metadata.${key.slice(0, MAX_METADATA_KEY_CHARS)}`;
    if (key === '' || key.length > MAX_METADATA_KEY_CHARS || !isPlainText(key))
      errors.push(
        errorAt(
          'metadata',
          `has a name that is empty, has control characters or is longer than ${MAX_METADATA_KEY_CHARS} characters`,
        ),
      );
    else if (typeof text !== 'string') errors.push(errorAt(path, 'must be a text'));
    else if (text.length > MAX_METADATA_VALUE_CHARS)
      errors.push(errorAt(path, `has more than ${MAX_METADATA_VALUE_CHARS} characters`));
    else if (!isPlainText(text)) errors.push(errorAt(path, 'has control characters'));
    else return [[key, text]];
    return [];
  });
  // `fromEntries` defines own properties, also for `__proto__`.
  return Object.fromEntries(read);
}

/** A list, or a text with tools separated by spaces (the format) or commas. */
function toolsOf(given: unknown, errors: ErrorDetail[]): string[] {
  if (absent(given)) return [];
  const list = typeof given === 'string' ? splitTools(given) : given;
  const isValid =
    Array.isArray(list) &&
    list.length <= MAX_TOOLS &&
    list.every(
      (tool) => typeof tool === 'string' && tool.trim() !== '' && tool.length <= MAX_TOOL_CHARS && isPlainText(tool),
    );
  if (isValid) return (list as string[]).map((tool) => tool.trim());
  const message = `must be at most ${MAX_TOOLS} names of tools of ${MAX_TOOL_CHARS} characters`;
  errors.push(errorAt('allowed_tools', message));
  return [];
}

/** Splits at spaces and commas outside parentheses: `Bash(git add *) Read` has two tools. */
const splitTools = (text: string): string[] => text.match(/[^\s,()]*\([^()]*\)[^\s,()]*|[^\s,]+/g) ?? [];
