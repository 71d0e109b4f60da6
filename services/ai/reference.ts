import { isObject } from '../../lib/json';
import type { NodeTypeRow } from '../../contracts/workflows/custom-nodes';

const MAX_DESCRIPTION_CHARS = 160;
/** Of an action of a connector: there are hundreds. */
const MAX_ACTION_DESCRIPTION_CHARS = 80;
/** Characters of all actions together: large imported APIs must leave room for the rest. */
const MAX_ACTIONS_CHARS = 50_000;

/**
 * The language for a model: the pages of its documentation, each step type in a few lines, and each action of a
 * connector in one, made from what the types say of themselves. Pure.
 */
export function languageReference(pages: string, types: readonly NodeTypeRow[]): string {
  const work = types.filter(({ kind }) => kind !== 'control');
  const actions = work.filter(isAction);
  return [
    pages.trim(),
    '# Step types',
    ...work.filter((row) => !isAction(row)).map(typeLines),
    ...(actions.length === 0 ? [] : [ACTIONS, actionLines(actions)]),
  ].join('\n\n');
}

const ACTIONS = `# Actions of connectors

Each is a step type, with its config in brackets; a star marks what must be there. \`connection\` names the account, and may be left out where there is only one that fits. With \`limit\` the output is \`{items, count, more}\`.`;

const isAction = ({ type }: NodeTypeRow): boolean => type.includes('.');

/** The tenant's own come last, and so are the first to be left out. */
function actionLines(rows: readonly NodeTypeRow[]): string {
  const lines: string[] = [];
  let size = 0;
  for (const row of rows) {
    const line = actionLine(row);
    size += line.length + 1;
    if (size > MAX_ACTIONS_CHARS) return [...lines, `(and ${rows.length - lines.length} more)`].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}

function actionLine({ type, description, input }: NodeTypeRow): string {
  const properties = isObject(input.properties) ? Object.keys(input.properties) : [];
  const required: readonly unknown[] = Array.isArray(input.required) ? input.required : [];
  const members = properties
    .filter((key) => key !== 'connection')
    .map((key) => (required.includes(key) ? `${key}*` : key));
  return `- ${type}(${members.join(', ')}): ${shortened(description, MAX_ACTION_DESCRIPTION_CHARS)}`;
}

const typeLines = (row: NodeTypeRow): string =>
  [`## ${row.type}`, row.description, ...section('config', row.input), ...section('output', row.output)].join('\n');

function section(title: string, schema: Readonly<Record<string, unknown>>): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const lines = Object.entries(properties).map(([key, value]) => {
    const inner = isObject(value) ? value : {};
    const mark = title === 'config' && required.includes(key) ? ', required' : '';
    return `- ${key} (${kindOf(inner)}${mark})${saying(inner)}`;
  });
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** What a value may be, in a word or two. */
function kindOf(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (typeof schema.type === 'string') return schema.type;
  const alternatives: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(alternatives)) return 'any';
  return [...new Set(alternatives.map((one: unknown) => (isObject(one) ? kindOf(one) : 'any')))].join(' | ');
}

function saying({ description }: Readonly<Record<string, unknown>>): string {
  return typeof description === 'string' ? `: ${shortened(description, MAX_DESCRIPTION_CHARS)}` : '';
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}...` : text);
