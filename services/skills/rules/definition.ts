/** Parses SKILL.md: YAML front matter between two lines of `---`, then Markdown instructions. Pure and total. */
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { isObject } from '../../../lib/json';
import type { SkillHead } from '../../../contracts/skills/views';
import { type Validation, errorAt, invalid, valid } from './validation';
import { isPlainText, parseHead } from './head';
import { MAX_FRONT_MATTER_BYTES, MAX_INSTRUCTIONS_BYTES } from './limits';

export const DEFINITION_FILE = 'SKILL.md';

/** A parsed definition file. `warnings` list ignored fields. */
export interface Definition {
  readonly head: SkillHead;
  readonly instructions: string;
  readonly warnings: readonly string[];
}

/** Front matter fields. The format's spelling is `allowed-tools`. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'version',
  'license',
  'metadata',
  'allowed-tools',
  'allowed_tools',
]);

const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;

/** Returns the definition, or all errors. */
export function parseDefinition(text: string): Validation<Definition> {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const found = FRONT_MATTER.exec(lines.slice(0, MAX_FRONT_MATTER_BYTES + 16));
  if (found === null) return invalid([errorAt(DEFINITION_FILE, frontMatterProblem(lines))]);
  const front = parseFrontMatter(found[1] as string);
  if (front.kind === 'invalid') return front;
  const members = front.value;
  const head = parseHead(headFields(members));
  if (head.kind === 'invalid') return invalid(head.errors.map(({ path, message }) => errorAt(inFront(path), message)));
  const instructions = lines.slice(found[0].length).trim();
  const problem = instructionsProblem(instructions);
  if (problem !== null) return invalid([errorAt(DEFINITION_FILE, `the instructions ${problem}`)]);
  return valid({ head: head.value, instructions, warnings: warningsOf(members, instructions) });
}

/** Returns the problem of instructions, or null. */
export function instructionsProblem(instructions: string): string | null {
  if (instructions.length > MAX_INSTRUCTIONS_BYTES)
    return `have more than ${MAX_INSTRUCTIONS_BYTES} characters; move details into files under references/`;
  return isPlainText(instructions) ? null : 'have control characters';
}

const inFront = (path: string): string => `${DEFINITION_FILE}: ${path}`;

function frontMatterProblem(lines: string): string {
  if (!/^---[ \t]*\n/.test(lines)) return 'must begin with a line of three hyphens, then "name" and "description"';
  return /\n---[ \t]*(?:\n|$)/.test(lines)
    ? `has more than ${MAX_FRONT_MATTER_BYTES} characters of front matter`
    : 'has no second line of three hyphens to end the front matter';
}

/** Every scalar is parsed as text: `version: 1.10` must not become the number 1.1. */
function parseFrontMatter(text: string): Validation<Record<string, unknown>> {
  try {
    const front: unknown = load(text, { schema: FAILSAFE_SCHEMA, maxDepth: 5, maxAliases: 0 });
    if (isObject(front)) return valid(front);
    return invalid([errorAt(DEFINITION_FILE, 'has a front matter that is not a YAML mapping')]);
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    // The front matter starts on line 2 of the file.
    const line = thrown.mark === undefined ? '' : ` (line ${thrown.mark.line + 2})`;
    const message = `has a front matter that is not valid YAML${line}: ${thrown.reason}; quote values that contain a colon`;
    return invalid([errorAt(DEFINITION_FILE, message)]);
  }
}

function headFields(front: Record<string, unknown>): Parameters<typeof parseHead>[0] {
  const own = (key: string): unknown => (Object.hasOwn(front, key) ? front[key] : undefined);
  return {
    name: own('name'),
    description: own('description'),
    version: own('version'),
    license: own('license'),
    metadata: own('metadata'),
    allowed_tools: own('allowed-tools') ?? own('allowed_tools'),
  };
}

function warningsOf(front: Record<string, unknown>, instructions: string): string[] {
  const unknown = Object.keys(front).filter((key) => !KNOWN_FIELDS.has(key));
  return [
    ...unknown.slice(0, 20).map((key) => `${DEFINITION_FILE}: "${key.slice(0, 100)}" is ignored`),
    ...(instructions === '' ? [`${DEFINITION_FILE} has no instructions`] : []),
  ];
}
