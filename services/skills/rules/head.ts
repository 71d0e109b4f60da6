/**
 * What a skill says of itself, by the rules of the open Agent Skills format (agentskills.io), which its definition file
 * and the API share. Pure and total on any value.
 */
import { AppError, type ErrorDetail } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import type { SkillHead } from '../../../contracts/skills/views';
import { type Checked, fault, faulty, value } from './fault';
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
/** Control characters but line breaks and tabs, and those that turn the direction of text. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Members of a request, unchecked. */
type GivenHead = { readonly [K in keyof SkillHead]?: unknown };

/** The head that the members make, or everything that is wrong with them; paths are their names. */
export function readHead(given: GivenHead): Checked<SkillHead> {
  const faults: ErrorDetail[] = [];
  const head: SkillHead = {
    name: nameOf(given.name, faults),
    description: textOf('description', given.description, MAX_DESCRIPTION_CHARS, faults) ?? '',
    version: versionOf(given.version, faults),
    license: absent(given.license) ? null : textOf('license', given.license, MAX_LICENSE_CHARS, faults),
    metadata: metadataOf(given.metadata, faults),
    allowed_tools: toolsOf(given.allowed_tools, faults),
  };
  return faults.length === 0 ? value(head) : faulty(faults);
}

/** What is wrong with a name of a skill; null for nothing. */
export const nameProblem = (name: unknown): string | null =>
  typeof name === 'string' && name.length <= MAX_NAME_CHARS && NAME.test(name)
    ? null
    : `must be lower-case letters, digits and single hyphens between them, at most ${MAX_NAME_CHARS} characters, such as fill-forms`;

/** @throws AppError invalid_request */
export function assertName(name: string): void {
  const problem = nameProblem(name);
  if (problem === null) return;
  throw new AppError('invalid_request', `The name ${problem}`, { details: [{ path: 'name', message: problem }] });
}

/** Whether no half of a surrogate pair stands alone, which has no bytes in UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Whether a text can be shown and stored as it is. */
export const isPlainText = (text: string): boolean => isWellFormed(text) && !UNSEEN.test(text);

const absent = (given: unknown): boolean => given === undefined || given === null || given === '';

function nameOf(given: unknown, faults: ErrorDetail[]): string {
  const problem = absent(given) ? 'is missing' : nameProblem(given);
  if (problem !== null) faults.push(fault('name', problem));
  return problem === null ? (given as string) : '';
}

function textOf(path: string, given: unknown, longest: number, faults: ErrorDetail[]): string | null {
  if (absent(given)) faults.push(fault(path, 'is missing'));
  else if (typeof given !== 'string') faults.push(fault(path, 'must be a text'));
  else if (given.trim() === '') faults.push(fault(path, 'is empty'));
  else if (given.length > longest) faults.push(fault(path, `has more than ${longest} characters`));
  else if (!isPlainText(given)) faults.push(fault(path, 'has control characters'));
  else return given.trim();
  return null;
}

function versionOf(given: unknown, faults: ErrorDetail[]): string | null {
  if (absent(given)) return null;
  const version = typeof given === 'string' ? parseVersion(given) : null;
  if (version !== null) return version;
  faults.push(fault('version', 'must be a version such as 1.2.0 (semver.org), without build metadata'));
  return null;
}

function metadataOf(given: unknown, faults: ErrorDetail[]): Record<string, string> {
  if (absent(given)) return {};
  if (!isObject(given)) {
    faults.push(fault('metadata', 'must be texts by their names'));
    return {};
  }
  const entries = Object.entries(given);
  if (entries.length > MAX_METADATA_KEYS) faults.push(fault('metadata', `has more than ${MAX_METADATA_KEYS} entries`));
  const read = entries.slice(0, MAX_METADATA_KEYS).flatMap(([key, entry]): [string, string][] => {
    const text = typeof entry === 'number' || typeof entry === 'boolean' ? String(entry) : entry;
    const path = `metadata.${key.slice(0, MAX_METADATA_KEY_CHARS)}`;
    if (key === '' || key.length > MAX_METADATA_KEY_CHARS || !isPlainText(key))
      faults.push(
        fault('metadata', `has a name that is empty, unseen or longer than ${MAX_METADATA_KEY_CHARS} characters`),
      );
    else if (typeof text !== 'string') faults.push(fault(path, 'must be a text'));
    else if (text.length > MAX_METADATA_VALUE_CHARS)
      faults.push(fault(path, `has more than ${MAX_METADATA_VALUE_CHARS} characters`));
    else if (!isPlainText(text)) faults.push(fault(path, 'has control characters'));
    else return [[key, text]];
    return [];
  });
  // Own members, whatever they are called.
  return Object.fromEntries(read);
}

/** A list, or the words of a text: the format has them parted by blanks, others by commas. */
function toolsOf(given: unknown, faults: ErrorDetail[]): string[] {
  if (absent(given)) return [];
  const list = typeof given === 'string' ? wordsOf(given) : given;
  const sound =
    Array.isArray(list) &&
    list.length <= MAX_TOOLS &&
    list.every(
      (tool) => typeof tool === 'string' && tool.trim() !== '' && tool.length <= MAX_TOOL_CHARS && isPlainText(tool),
    );
  if (sound) return (list as string[]).map((tool) => tool.trim());
  const message = `must be at most ${MAX_TOOLS} names of tools of ${MAX_TOOL_CHARS} characters`;
  faults.push(fault('allowed_tools', message));
  return [];
}

/** Words between blanks and commas, but for those in brackets: `Bash(git add *) Read` is two. */
const wordsOf = (text: string): string[] => text.match(/[^\s,()]*\([^()]*\)[^\s,()]*|[^\s,]+/g) ?? [];
