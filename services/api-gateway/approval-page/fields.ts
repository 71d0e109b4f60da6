import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { AppError } from '../../../lib/errors';

/** More members are filled in as one JSON text. */
const MAX_FIELDS = 40;
const LONG_TEXT_CHARS = 200;

/** A control for one member of the object that a form asks for. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly control: 'line' | 'area' | 'number' | 'check' | 'json' | { readonly options: readonly Json[] };
}

/** The controls of a flat object schema; null for any other schema, which is filled in as JSON. Pure. */
export function formFields(form: Json | undefined): FormField[] | null {
  if (!isObject(form) || !isObject(form.properties)) return null;
  const members = Object.entries(form.properties);
  if (members.length > MAX_FIELDS) return null;
  const needed = new Set(Array.isArray(form.required) ? form.required : []);
  return members.map(([name, given]) => {
    const rules = isObject(given) ? given : {};
    return {
      name,
      label: typeof rules.title === 'string' ? rules.title : name,
      hint: typeof rules.description === 'string' ? rules.description : '',
      required: needed.has(name),
      control: controlOf(rules),
    };
  });
}

function controlOf(rules: JsonObject): FormField['control'] {
  if (Array.isArray(rules.enum)) return { options: rules.enum };
  switch (rules.type) {
    case 'string':
      return typeof rules.maxLength === 'number' && rules.maxLength > LONG_TEXT_CHARS ? 'area' : 'line';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'check';
    default:
      return 'json';
  }
}

/** The object that was filled in, without members that were left empty. @throws AppError invalid_request */
export function filledIn(fields: readonly FormField[], typed: (name: string) => string | undefined): JsonObject {
  const entries = fields.flatMap((field): [string, Json][] => {
    const text = typed(field.name) ?? '';
    if (field.control === 'check') return [[field.name, text !== '']];
    return text === '' ? [] : [[field.name, valueOf(field, text)]];
  });
  return Object.fromEntries(entries);
}

function valueOf({ control, label }: FormField, text: string): Json {
  if (control === 'line' || control === 'area') return text;
  if (typeof control === 'object') {
    const chosen = control.options[Number(text)];
    if (chosen !== undefined) return chosen;
  } else if (control === 'number') {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
  } else {
    try {
      return JSON.parse(text) as Json;
    } catch {
      // The message below says what is wrong.
    }
  }
  throw new AppError('invalid_request', `${label}: the value cannot be read; correct it`);
}
