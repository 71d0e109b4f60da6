import { isObject, type Json, type JsonObject } from '../../../lib/json';

/** More members are filled in as one JSON text. */
const MAX_FIELDS = 40;
const LONG_TEXT_CHARS = 200;
/** Limit of a file whose schema has none, in bytes. */
const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FILES_OF_FIELD = 10;

export type Control =
  | { readonly kind: 'line' | 'area' | 'email' | 'date' | 'check' | 'json' }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'choice'; readonly options: readonly Json[]; readonly multiple: boolean }
  | {
      readonly kind: 'file';
      /** Media types, also `image/*`; empty: any. */
      readonly accept: readonly string[];
      readonly maxBytes: number;
      readonly maxFiles: number;
    };

/** A control for one member of the object that a form asks for. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly control: Control;
  /** The schema of the member, for its limits. */
  readonly rules: JsonObject;
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
      rules,
    };
  });
}

function controlOf(rules: JsonObject): Control {
  if (Array.isArray(rules.enum)) return { kind: 'choice', options: rules.enum, multiple: false };
  if (isFile(rules)) return fileControl(rules, 1);
  switch (rules.type) {
    case 'string':
      return { kind: textKind(rules) };
    case 'number':
    case 'integer':
      return { kind: 'number', whole: rules.type === 'integer' };
    case 'boolean':
      return { kind: 'check' };
    case 'array':
      return listControl(rules);
    default:
      return { kind: 'json' };
  }
}

function textKind({ format, maxLength }: JsonObject): 'line' | 'area' | 'email' | 'date' {
  if (format === 'email' || format === 'date') return format;
  return typeof maxLength === 'number' && maxLength > LONG_TEXT_CHARS ? 'area' : 'line';
}

function listControl({ items, maxItems }: JsonObject): Control {
  if (!isObject(items)) return { kind: 'json' };
  if (Array.isArray(items.enum)) return { kind: 'choice', options: items.enum, multiple: true };
  const max = typeof maxItems === 'number' ? maxItems : MAX_FILES_OF_FIELD;
  return isFile(items) ? fileControl(items, Math.min(max, MAX_FILES_OF_FIELD)) : { kind: 'json' };
}

const isFile = ({ type, format }: JsonObject): boolean => type === 'object' && format === 'file';

/** Types are in `contentMediaType`, separated by commas; the limit is the `maximum` of the member `size`. */
function fileControl({ contentMediaType: types, properties }: JsonObject, maxFiles: number): Control {
  const size = isObject(properties) && isObject(properties.size) ? properties.size.maximum : undefined;
  const accept = typeof types === 'string' ? types.split(',').map((type) => type.trim().toLowerCase()) : [];
  return {
    kind: 'file',
    accept: accept.filter((type) => type !== ''),
    maxBytes: typeof size === 'number' ? size : DEFAULT_MAX_FILE_BYTES,
    maxFiles,
  };
}

/** Values of a form, and messages by the name of the field that they are about. */
interface FilledForm {
  readonly values: JsonObject;
  readonly faults: ReadonlyMap<string, string>;
}

/**
 * The object that was filled in, without members that were left empty and without files. `typed`: all values of a
 * control. Pure.
 */
export function filledIn(fields: readonly FormField[], typed: (name: string) => readonly string[]): FilledForm {
  const faults = new Map<string, string>();
  const entries: [string, Json][] = [];
  for (const field of fields) {
    const read = valueOf(field.control, typed(field.name));
    if (read === undefined) continue;
    if ('fault' in read) faults.set(field.name, read.fault);
    else entries.push([field.name, read.value]);
  }
  return { values: Object.fromEntries(entries), faults };
}

type Read = { readonly value: Json } | { readonly fault: string };

/** Undefined for a control that was left empty. */
function valueOf(control: Control, texts: readonly string[]): Read | undefined {
  if (control.kind === 'file') return undefined;
  if (control.kind === 'choice' && control.multiple) return choicesOf(control.options, texts);
  const text = texts.at(-1) ?? '';
  if (control.kind === 'check') return { value: text !== '' };
  if (text.trim() === '') return undefined;
  switch (control.kind) {
    case 'choice':
      return choicesOf(control.options, [text], (chosen) => chosen as Json);
    case 'number':
      return Number.isFinite(Number(text)) ? { value: Number(text) } : { fault: 'must be a number, such as 12.5' };
    case 'json':
      return jsonOf(text);
    case 'email':
      return { value: text.trim() };
    default:
      // Browsers send line breaks as CR LF.
      return { value: text.replaceAll('\r\n', '\n') };
  }
}

/** The chosen options by their numbers; undefined for none. `only`: takes the single one. */
function choicesOf(
  options: readonly Json[],
  texts: readonly string[],
  only: ((chosen: Json | undefined) => Json) | null = null,
): Read | undefined {
  const chosen = texts
    .filter((text) => text !== '')
    .map((text) => (/^\d{1,4}$/.test(text) ? options[Number(text)] : undefined));
  if (chosen.length === 0) return undefined;
  if (chosen.includes(undefined)) return { fault: 'must be one of the choices' };
  return { value: only === null ? (chosen as Json[]) : only(chosen[0]) };
}

function jsonOf(text: string): Read {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { fault: 'must be JSON, such as {"a": 1} or [1, 2]' };
  }
}

/** The texts of a control that show a value, as `filledIn` reads them; none for a value that the control cannot show. */
export function textsOf({ control }: Pick<FormField, 'control'>, value: Json | undefined): string[] {
  if (value === undefined || value === null || control.kind === 'file') return [];
  switch (control.kind) {
    case 'choice': {
      const chosen = control.multiple && Array.isArray(value) ? value : [value];
      const indexes = chosen.map((each) => control.options.findIndex((option) => isSame(option, each)));
      return indexes.filter((index) => index >= 0).map(String);
    }
    case 'check':
      return value === true ? ['1'] : [];
    case 'json':
      return [JSON.stringify(value, null, 2)];
    default:
      return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  }
}

const isSame = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);
