import type { Json } from '../../../lib/json';
import { splitText as splitAt } from '../../../lib/text-search';
import { MAX_RESULT } from '../limits';
import { isIn } from '../operators';
import { isJsonObject, toText } from '../values';
import type { Arguments, Family } from './arguments';

const SURROGATE = /[\ud800-\udfff]/;

/** Characters as people count them: code points, so that an emoji is one and is never cut in half. */
const characters = (text: string): string[] | string => (SURROGATE.test(text) ? Array.from(text) : text);

const sliceText = (text: string, start: number, end?: number): string => {
  const units = characters(text);
  return typeof units === 'string' ? units.slice(start, end) : units.slice(start, end).join('');
};

const capitalize = (text: string): string => {
  const first = String.fromCodePoint(...(text === '' ? [] : [text.codePointAt(0) as number]));
  return first.toUpperCase() + text.slice(first.length);
};

const title = (args: Arguments): Json => {
  const text = args.text(0).toLowerCase();
  args.spend(text.length >> 3);
  args.work(text.length * 2);
  return text.replace(/\S+/g, capitalize);
};

const splitText = (args: Arguments): Json => {
  const text = args.text(0);
  args.work(text.length);
  const parts = args.has(1) ? splitAt(text, args.text(1)) : text.trim().split(/\s+/);
  args.spend(parts.length);
  return parts;
};

const joinList = (args: Arguments): Json => {
  const list = args.list(0);
  const separator = args.text(1, ',');
  if (separator.length * list.length > MAX_RESULT) throw args.fail('the result is too large');
  args.work(list.length * 2);
  return args.check(list).map(toText).join(separator);
};

const replaceAll = (args: Arguments): Json => {
  const [text, find, replacement] = [args.text(0), args.text(1), args.text(2)];
  if (find === '') throw args.fail('argument 2 must not be empty');
  args.work(text.length);
  const pieces = splitAt(text, find);
  args.spend(pieces.length);
  if (text.length + (pieces.length - 1) * (replacement.length - find.length) > MAX_RESULT) {
    throw args.fail('the result is too large');
  }
  return pieces.join(replacement);
};

const length = (args: Arguments): Json => {
  const value = args.value(0);
  if (typeof value === 'string') {
    args.work(value.length);
    return characters(args.check(value)).length;
  }
  if (Array.isArray(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  throw args.wrong(0, 'string, array or object', value);
};

const slice = (args: Arguments): Json => {
  const value = args.value(0);
  const start = args.number(1);
  const end = args.has(2) ? args.number(2) : undefined;
  if (typeof value === 'string') {
    args.work(value.length);
    return sliceText(args.check(value), start, end);
  }
  if (!Array.isArray(value)) throw args.wrong(0, 'string or array', value);
  args.spend(value.length);
  return value.slice(start, end);
};

const pad = (args: Arguments): Json => {
  const text = args.text(0);
  const missing = args.integer(1, 0, MAX_RESULT) - characters(text).length;
  const fill = characters(args.text(2, ' '));
  const side = args.word(3, ['left', 'right'], 'left');
  if (fill.length === 0) throw args.fail('argument 3 must not be empty');
  if (missing <= 0) return text;
  args.spend(missing >> 2);
  let padding = '';
  for (let index = 0; index < missing; index++) padding += fill[index % fill.length];
  return side === 'left' ? padding + text : text + padding;
};

const truncate = (args: Arguments): Json => {
  const text = args.text(0);
  const limit = args.integer(1, 0, MAX_RESULT);
  args.work(text.length * 2);
  const ending = args.text(2, '…');
  if (characters(text).length <= limit) return text;
  const kept = limit - characters(ending).length;
  return kept < 0 ? sliceText(ending, 0, limit) : sliceText(text, 0, kept) + ending;
};

/** Operations for each character that is taken apart; a single one may stand for eighteen others. */
const SLUG_COST = 4;

const slug = (args: Arguments): Json => {
  const text = args.text(0);
  args.spend(text.length * SLUG_COST);
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
};

/** Functions over text. */
export const textFunctions: Family = {
  upper: { min: 1, max: 1, call: (args) => args.text(0).toUpperCase() },
  lower: { min: 1, max: 1, call: (args) => args.text(0).toLowerCase() },
  trim: { min: 1, max: 1, call: (args) => args.text(0).trim() },
  capitalize: { min: 1, max: 1, call: (args) => capitalize(args.text(0)) },
  title: { min: 1, max: 1, call: title },
  slug: { min: 1, max: 1, call: slug },
  split: { min: 1, max: 2, call: splitText },
  join: { min: 1, max: 2, call: joinList },
  replace: { min: 3, max: 3, call: replaceAll },
  starts_with: { min: 2, max: 2, call: (args) => args.text(0).startsWith(args.text(1)) },
  ends_with: { min: 2, max: 2, call: (args) => args.text(0).endsWith(args.text(1)) },
  contains: { min: 2, max: 2, call: (args) => isIn(args.value(1), args.value(0), args.scope, args.position) },
  length: { min: 1, max: 1, call: length },
  slice: { min: 2, max: 3, call: slice },
  pad: { min: 2, max: 4, call: pad },
  truncate: { min: 2, max: 3, call: truncate },
};
