import type { Json, JsonObject } from '../../../lib/json';
import type { FormField } from './fields';
import { escape } from './layout';

/** What controls show: texts that were typed before, and what is wrong with them. */
export interface Shown {
  readonly typed: (name: string) => readonly string[];
  readonly faults: ReadonlyMap<string, string>;
}

export const EMPTY: Shown = { typed: () => [], faults: new Map() };

/** The name of the control of a field in the sent form. */
export const controlName = (name: string): string => `field.${name}`;

/** The HTML of the controls of a form. */
export const controlsOf = (fields: readonly FormField[], shown: Shown): string =>
  fields.map((field, index) => controlOf(field, `field-${index}`, shown)).join('');

function controlOf(field: FormField, id: string, { typed, faults }: Shown): string {
  const { name, label, control } = field;
  const fault = faults.get(name);
  const hint = hintOf(field);
  const notes = `${hint === '' ? '' : `<p class="hint" id="${id}-hint">${escape(hint)}</p>`}${fault === undefined ? '' : `<p class="wrong" id="${id}-fault">${escape(sentence(fault))}</p>`}`;
  const described = [...(hint === '' ? [] : [`${id}-hint`]), ...(fault === undefined ? [] : [`${id}-fault`])].join(' ');
  const state = `${described === '' ? '' : ` aria-describedby="${described}"`}${fault === undefined ? '' : ' aria-invalid="true"'}`;
  const common = `id="${id}" name="${escape(controlName(name))}"${state}`;
  const texts = typed(name);
  if (control.kind === 'check') {
    const needed = field.rules.const === true ? ' required' : '';
    return `<div class="field"><label class="check"><input type="checkbox" ${common} value="1"${texts.length > 0 ? ' checked' : ''}${needed}>${escape(label)}</label>${notes}</div>`;
  }
  if (control.kind === 'choice' && control.multiple) {
    const boxes = control.options.map(
      (option, at) =>
        `<label class="check"><input type="checkbox" name="${escape(controlName(name))}" value="${at}"${texts.includes(String(at)) ? ' checked' : ''}>${escape(optionText(option))}</label>`,
    );
    return `<fieldset id="${id}"${state}><legend>${escape(label)}${marker(field)}</legend>${boxes.join('')}${notes}</fieldset>`;
  }
  return `<div class="field"><label for="${id}">${escape(label)}${marker(field)}</label>${inputOf(field, common, texts)}${notes}</div>`;
}

const marker = ({ required }: FormField): string => (required ? '' : ' <span class="needed">(optional)</span>');

function inputOf({ control, required, rules }: FormField, common: string, texts: readonly string[]): string {
  const needed = required ? ' required' : '';
  const text = escape(texts.at(-1) ?? '');
  switch (control.kind) {
    case 'choice': {
      const options = control.options.map(
        (option, at) =>
          `<option value="${at}"${texts.includes(String(at)) ? ' selected' : ''}>${escape(optionText(option))}</option>`,
      );
      return `<select ${common}${needed}><option value=""></option>${options.join('')}</select>`;
    }
    case 'file':
      return `<input type="file" ${common}${needed}${control.maxFiles > 1 ? ' multiple' : ''}${control.accept.length === 0 ? '' : ` accept="${escape(control.accept.join(','))}"`}>`;
    case 'number':
      return `<input type="number" step="${control.whole ? '1' : 'any'}" inputmode="${control.whole ? 'numeric' : 'decimal'}" ${common}${needed}${limits(rules, { minimum: 'min', maximum: 'max' })} value="${text}" autocomplete="off">`;
    case 'email':
      return `<input type="email" ${common}${needed}${TEXT_LIMITS(rules)} value="${text}" autocomplete="email">`;
    case 'date':
      return `<input type="date" ${common}${needed} value="${text}">`;
    case 'area':
    case 'json':
      // The first line break of a textarea's content is not part of it.
      return `<textarea ${common}${needed}${TEXT_LIMITS(rules)}>\n${text}</textarea>`;
    default:
      return `<input ${common}${needed}${TEXT_LIMITS(rules)} value="${text}" autocomplete="off">`;
  }
}

const TEXT_LIMITS = (rules: JsonObject): string => limits(rules, { minLength: 'minlength', maxLength: 'maxlength' });

const limits = (rules: JsonObject, names: Readonly<Record<string, string>>): string =>
  Object.entries(names)
    .map(([keyword, attribute]) => (typeof rules[keyword] === 'number' ? ` ${attribute}="${rules[keyword]}"` : ''))
    .join('');

function hintOf({ hint, control }: FormField): string {
  if (control.kind === 'json' && hint === '') return 'JSON.';
  if (control.kind !== 'file') return hint;
  const size = `Up to ${sizeText(control.maxBytes)}${control.maxFiles > 1 ? ` each, at most ${control.maxFiles} files` : ''}.`;
  return hint === '' ? size : `${hint} ${size}`;
}

const KIB = 1024;

/** A size in bytes for people: `10 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  return bytes < KIB * KIB ? `${Math.floor(bytes / KIB)} KiB` : `${Math.floor((bytes / KIB / KIB) * 10) / 10} MiB`;
}

const optionText = (option: Json): string => (typeof option === 'string' ? option : JSON.stringify(option));

/** A message of the schema's check as a sentence. */
const sentence = (fault: string): string => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
