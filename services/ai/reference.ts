import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../lib/errors';
import { isObject } from '../../lib/json';
import type { NodeTypeRow } from '../../contracts/workflows/custom-nodes';

const MAX_DESCRIPTION_CHARS = 160;
/** Shorter for actions of connectors: there are hundreds. */
const MAX_ACTION_DESCRIPTION_CHARS = 80;
/** Limit of all actions together, because imported APIs can be large. */
const MAX_ACTIONS_CHARS = 50_000;

/**
 * Describes the language to a model: its documentation, each step type in a few lines, and each connector action in one
 * line. Pure.
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

/** The tenant's own actions are last, so they are omitted first. */
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
  return `- ${type}(${members.join(', ')}): ${truncate(description, MAX_ACTION_DESCRIPTION_CHARS)}`;
}

const typeLines = (row: NodeTypeRow): string =>
  [`## ${row.type}`, row.description, ...section('config', row.input), ...section('output', row.output)].join('\n');

function section(title: string, schema: Readonly<Record<string, unknown>>): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const lines = Object.entries(properties).map(([key, value]) => {
    const inner = isObject(value) ? value : {};
    const mark = title === 'config' && required.includes(key) ? ', required' : '';
    const text = typeof inner.description === 'string' ? `: ${truncate(inner.description, MAX_DESCRIPTION_CHARS)}` : '';
    return `- ${key} (${kindOf(inner)}${mark})${text}`;
  });
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** The type of a value in a few words. */
function kindOf(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (typeof schema.type === 'string') return schema.type;
  const alternatives: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(alternatives)) return 'any';
  return [...new Set(alternatives.map((one: unknown) => (isObject(one) ? kindOf(one) : 'any')))].join(' | ');
}

const truncate = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}...` : text;

const PAGES = ['workflows.md', 'expressions.md'] as const;

let cachedPages: string | null = null;

/** The documentation pages of the workflow language. @throws AppError unavailable when they are not installed */
export function languagePages(): string {
  cachedPages ??= PAGES.map((page) => readPage(__dirname, page)).join('\n\n');
  return cachedPages;
}

/** Searches the parent folders, because compiled files are one folder deeper than sources. */
function readPage(folder: string, page: string): string {
  try {
    return readFileSync(join(folder, 'docs', page), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (dirname(folder) === folder) {
    throw new AppError('unavailable', `This installation cannot generate workflows: docs/${page} is not installed`);
  }
  return readPage(dirname(folder), page);
}
