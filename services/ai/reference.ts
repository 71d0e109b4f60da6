import { isObject } from '../../lib/json';
import type { NodeTypeRow } from '../workflows/contract';

const LONGEST_DESCRIPTION = 160;

/**
 * The language for a model: the pages of its documentation, and each step type in a few lines, made from what the
 * types say of themselves. Pure.
 */
export const languageReference = (pages: string, types: readonly NodeTypeRow[]): string =>
  [pages.trim(), '# Step types', ...types.filter(({ kind }) => kind !== 'control').map(typeLines)].join('\n\n');

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
  if (typeof description !== 'string') return '';
  return `: ${description.length > LONGEST_DESCRIPTION ? `${description.slice(0, LONGEST_DESCRIPTION)}...` : description}`;
}
