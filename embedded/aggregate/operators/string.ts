import { ServerError } from '../../bson/error';
import { asInteger, isNumeric, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { BsonSymbol, type Maybe } from '../../bson/value';
import { binary, isNullish, named, nary, naryOrNull, type Operator, type Operators, unary } from '../operator';
import { toText } from './text';

const codePoints = (text: string): string[] => [...text];

const stringOf = (value: Maybe): string | undefined =>
  typeof value === 'string' ? value : value instanceof BsonSymbol ? value.value : undefined;

function required(value: Maybe, code: number, name: string): string {
  const text = stringOf(value);
  if (text === undefined) throw new ServerError(code, `${name} requires a string argument, found: ${typeName(value)}`);
  return text;
}

/** Changes ASCII letters only, as MongoDB does. */
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const cased = (change: (text: string) => string): Operator =>
  unary((value, name) => change(isNullish(value) ? '' : toText(value, name)));

function integerOf(value: Maybe, code: number, what: string): number {
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined)
    throw new ServerError(code, `${what} must be an integral number, found: ${typeName(value)}`);
  return Number(integer);
}

function substrBytes(values: Maybe[], name: string): string {
  const [input, start, length] = values;
  const bytes = Buffer.from(isNullish(input) ? '' : toText(input, name));
  const from = isNumeric(start) ? Math.trunc(toDouble(start)) : integerOf(start, 16034, `${name} start`);
  const count = isNumeric(length) ? Math.trunc(toDouble(length)) : integerOf(length, 16035, `${name} length`);
  if (from < 0) throw new ServerError(50752, `${name}: starting index must be non-negative`);
  const to = count < 0 ? bytes.length : Math.min(bytes.length, from + count);
  const splits = (at: number): boolean => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
  if (splits(from)) throw new ServerError(28656, `${name}: Invalid range, starting index is a UTF-8 continuation byte`);
  if (from < to && splits(to))
    throw new ServerError(28657, `${name}: Invalid range, ending index is in the middle of a UTF-8 character`);
  return bytes.toString('utf8', from, Math.max(from, to));
}

function substrCodePoints([input, start, length]: Maybe[]): string {
  const from = integerOf(start, 34450, '$substrCP: starting index');
  const count = integerOf(length, 34452, '$substrCP: length');
  if (from < 0) throw new ServerError(34455, '$substrCP: the starting index must be a non-negative integer');
  if (count < 0) throw new ServerError(34454, '$substrCP: length must be a non-negative integer');
  return codePoints(isNullish(input) ? '' : toText(input, '$substrCP'))
    .slice(from, from + count)
    .join('');
}

/** Positions count code points. */
function indexOf(values: Maybe[], name: string): Maybe {
  const [input, search, from, to] = values;
  if (isNullish(input)) return null;
  const text = codePoints(required(input, 40091, name));
  const wanted = required(search, 40092, name);
  const start = values.length > 2 ? bound(from, `${name} starting index`) : 0;
  const end = values.length > 3 ? bound(to, `${name} ending index`) : text.length;
  if (start > text.length) return -1;
  const tail = text.slice(start).join('');
  const found = tail.indexOf(wanted);
  if (found < 0) return -1;
  const position = start + codePoints(tail.slice(0, found)).length;
  return position < end ? position : -1;
}

function bound(value: Maybe, what: string): number {
  const number = integerOf(value, 40096, what);
  if (number < 0) throw new ServerError(40097, `${what} must be non-negative`);
  return number;
}

function split(input: Maybe, separator: Maybe): Maybe {
  if (isNullish(input) || isNullish(separator)) return null;
  const text = required(input, 40085, '$split');
  const wanted = required(separator, 40086, '$split');
  if (wanted === '') throw new ServerError(40087, '$split requires a non-empty separator');
  return text.split(wanted);
}

/** White space that the trim operators remove by default (MongoDB's table). */
const WHITESPACE = new Set(
  '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
);

const trim = (left: boolean, right: boolean): Operator =>
  named(['input'], ['chars'], (values, name) => {
    const { input, chars } = values;
    if (isNullish(input) || (Object.hasOwn(values, 'chars') && isNullish(chars))) return null;
    const points = codePoints(required(input, 50699, name));
    const removed = chars === undefined ? WHITESPACE : new Set(required(chars, 50700, name));
    let [from, to] = [0, points.length];
    while (left && from < to && removed.has(points[from] as string)) from++;
    while (right && to > from && removed.has(points[to - 1] as string)) to--;
    return points.slice(from, to).join('');
  });

const replace = (every: boolean): Operator =>
  named(['input', 'find', 'replacement'], [], ({ input, find, replacement }, name) => {
    const parts = [input, find, replacement].map((value, index) =>
      isNullish(value) ? null : required(value, [51746, 51745, 51744][index] as number, name),
    );
    const [text, wanted, instead] = parts;
    if (typeof text !== 'string' || typeof wanted !== 'string' || typeof instead !== 'string') return null;
    return every ? text.replaceAll(wanted, () => instead) : text.replace(wanted, () => instead);
  });

export const string: Operators = {
  $concat: naryOrNull(
    (values) => values.join(''),
    (value, name) => required(value, 16702, name),
  ),
  $toUpper: cased(upper),
  $toLower: cased(lower),
  $strLenCP: unary((value, name) => codePoints(required(value, 34471, name)).length),
  $substr: nary(substrBytes, 3, 3),
  $substrBytes: nary(substrBytes, 3, 3),
  $substrCP: nary(substrCodePoints, 3, 3),
  $indexOfCP: nary(indexOf, 2, 4),
  $split: binary(split),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace(false),
  $replaceAll: replace(true),
};
