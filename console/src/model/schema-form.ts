type FieldKind = 'text' | 'long' | 'number' | 'choice' | 'switch' | 'json';

/** One control of a form that is made of a JSON Schema. */
export interface SchemaField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | null;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly initial: string;
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** Texts that may be longer than this have several lines. */
const LONG_CHARS = 200;

/** The controls of a schema of type object; null for any other schema, which is filled in as JSON. */
export function fieldsOf(schema: unknown): SchemaField[] | null {
  if (!isSchema(schema) || !isSchema(schema.properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, member]) => {
    const rules = isSchema(member) ? member : {};
    return {
      name,
      label: textOf(rules.title) ?? sentence(name),
      hint: textOf(rules.description),
      kind: kindOf(rules),
      required: required.includes(name),
      choices: Array.isArray(rules.enum) ? rules.enum.map(String) : [],
      initial: rules.default === undefined ? '' : (textOf(rules.default) ?? JSON.stringify(rules.default)),
    };
  });
}

function kindOf({ type, enum: choices, maxLength, format }: Schema): FieldKind {
  if (Array.isArray(choices)) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'number' || type === 'integer') return 'number';
  if (type !== 'string') return 'json';
  return format === undefined && typeof maxLength === 'number' && maxLength > LONG_CHARS ? 'long' : 'text';
}

const sentence = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** What a filled-in form says, without empty controls. @throws Error naming the control whose text is not JSON */
export function valuesOf(
  fields: readonly SchemaField[],
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (field.kind === 'switch') values[field.name] = text !== '';
    else if (text !== '') values[field.name] = valueOf(field, text);
  }
  return values;
}

function valueOf({ kind, label }: SchemaField, text: string): unknown {
  if (kind === 'number') return Number(text);
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`${label}: this is not JSON`);
  }
}
