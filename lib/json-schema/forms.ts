import { isObject } from '../json';

/** Maximum alternatives and characters in a message. */
const MAX_FORMS = 8;
const MAX_CHARS = 400;

/** Describes the alternatives of a schema for a message: `an object with user and password, or a string`. */
export function formsText(schemas: readonly unknown[]): string {
  const forms = [...new Set(schemas.slice(0, MAX_FORMS).map(formText))];
  const more = schemas.length > MAX_FORMS ? ['others'] : [];
  return cut([...forms, ...more].join(', or '), MAX_CHARS);
}

const NOUNS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function formText(schema: unknown): string {
  if (!isObject(schema)) return schema === true ? 'any value' : 'nothing';
  const { title, type, required, enum: values, properties } = schema;
  if (Object.hasOwn(schema, 'const')) return valueText(schema.const);
  if (Array.isArray(values)) return `one of ${values.slice(0, MAX_FORMS).map(valueText).join(', ')}`;
  if (typeof title === 'string') return title;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
  const isOfMembers = types.length === 0 && (Array.isArray(required) || isObject(properties));
  const nouns = isOfMembers ? ['an object'] : types.map((each) => NOUNS[each] ?? each);
  const noun = nouns.length === 0 ? 'another form' : nouns.join(' or ');
  const names = (Array.isArray(required) ? required : []).map((name) => nameText(name, properties));
  return names.length === 0 ? noun : `${noun} with ${names.join(' and ')}`;
}

/** A required member, with its value if the schema fixes it, as that distinguishes alternatives. */
function nameText(name: unknown, properties: unknown): string {
  const member = isObject(properties) ? properties[String(name)] : undefined;
  const isFixed = isObject(member) && Object.hasOwn(member, 'const');
  return isFixed ? `${String(name)} ${valueText(member.const)}` : String(name);
}

const valueText = (value: unknown): string => cut(JSON.stringify(value) ?? 'nothing', 60);

const cut = (text: string, chars: number): string => (text.length > chars ? `${text.slice(0, chars)}…` : text);
