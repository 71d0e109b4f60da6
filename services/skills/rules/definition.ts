/** Reads SKILL.md: front matter in YAML between two lines of `---`, then instructions in Markdown. Pure and total. */
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { isObject } from '../../../lib/json';
import type { SkillHead } from '../../../contracts/skills/views';
import { type Checked, fault, faulty, value } from './fault';
import { isPlainText, readHead } from './head';
import { MAX_FRONT_MATTER_BYTES, MAX_INSTRUCTIONS_BYTES } from './limits';

export const DEFINITION_FILE = 'SKILL.md';

/** A definition file, and what of it was left out. */
export interface Definition {
  readonly head: SkillHead;
  readonly instructions: string;
  readonly warnings: readonly string[];
}

/** Members of the front matter; `allowed-tools` is the format's own way to write it. */
const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'description',
  'version',
  'license',
  'metadata',
  'allowed-tools',
  'allowed_tools',
]);

const FRONT = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;

/** The definition in a text, or everything that is wrong with it. */
export function readDefinition(text: string): Checked<Definition> {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const found = FRONT.exec(lines.slice(0, MAX_FRONT_MATTER_BYTES + 16));
  if (found === null) return faulty([fault(DEFINITION_FILE, frontProblem(lines))]);
  const front = parsedFront(found[1] as string);
  if (front.kind === 'faults') return front;
  const members = front.value;
  const head = readHead(headIn(members));
  if (head.kind === 'faults') return faulty(head.faults.map(({ path, message }) => fault(inFront(path), message)));
  const instructions = lines.slice(found[0].length).trim();
  const problem = instructionsProblem(instructions);
  if (problem !== null) return faulty([fault(DEFINITION_FILE, `the instructions ${problem}`)]);
  return value({ head: head.value, instructions, warnings: warningsOf(members, instructions) });
}

/** What is wrong with instructions; null for nothing. */
export function instructionsProblem(instructions: string): string | null {
  if (instructions.length > MAX_INSTRUCTIONS_BYTES)
    return `have more than ${MAX_INSTRUCTIONS_BYTES} characters; move what is not always needed into references/`;
  return isPlainText(instructions) ? null : 'have control characters';
}

const inFront = (path: string): string => `${DEFINITION_FILE}: ${path}`;

function frontProblem(lines: string): string {
  if (!/^---[ \t]*\n/.test(lines)) return 'must begin with a line of three hyphens, then "name" and "description"';
  return /\n---[ \t]*(?:\n|$)/.test(lines)
    ? `has more than ${MAX_FRONT_MATTER_BYTES} characters of front matter`
    : 'has no second line of three hyphens, which ends the front matter';
}

/** Every scalar is a text: `version: 1.10` is not the number 1.1, and a date is what it looks like. */
function parsedFront(text: string): Checked<Record<string, unknown>> {
  try {
    const front: unknown = load(text, { schema: FAILSAFE_SCHEMA, maxDepth: 5, maxAliases: 0 });
    if (isObject(front)) return value(front);
    return faulty([fault(DEFINITION_FILE, 'has a front matter that is no list of names and values')]);
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    // The front matter begins on the file's second line.
    const line = thrown.mark === undefined ? '' : ` (line ${thrown.mark.line + 2})`;
    const message = `has a front matter that is no YAML${line}: ${thrown.reason}; put texts with a colon in quotes`;
    return faulty([fault(DEFINITION_FILE, message)]);
  }
}

function headIn(front: Record<string, unknown>): Parameters<typeof readHead>[0] {
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
  const unknown = Object.keys(front).filter((key) => !KNOWN.has(key));
  return [
    ...unknown.slice(0, 20).map((key) => `${DEFINITION_FILE}: "${key.slice(0, 100)}" is left out`),
    ...(instructions === '' ? [`${DEFINITION_FILE} has no instructions`] : []),
  ];
}
