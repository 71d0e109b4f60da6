import type { Json } from '../../../lib/json';
import { finiteNumber } from '../operators';
import type { Arguments, Family } from './arguments';

const NUMBER_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_DIGITS = 15;

const toNumber = (args: Arguments): Json => {
  const value = args.value(0);
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') throw args.wrong(0, 'string, number or boolean', value);
  const text = value.length > 64 ? '' : value.trim();
  if (!NUMBER_TEXT.test(text)) throw args.fail('the string is not a number');
  return finite(args, Number(text));
};

const finite = (args: Arguments, value: number): number => finiteNumber(value, args.scope, args.position);

/** Rounds half away from zero in decimal, as people do: 1.005 to two digits is 1.01. */
const round = (args: Arguments): Json => {
  const value = args.number(0);
  const digits = args.integer(1, 0, MAX_DIGITS, 0);
  const [mantissa, exponent = '0'] = String(Math.abs(value)).split('e');
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  // A double this large has no digits left to round.
  if (!Number.isSafeInteger(shifted)) return value;
  return finite(args, Math.sign(value) * Number(`${shifted}e-${digits}`));
};

/** The numbers of one list, or of all arguments. Nulls in a list are skipped. */
const numbers = (args: Arguments): number[] => {
  const first = args.value(0);
  if (!Array.isArray(first)) {
    return Array.from({ length: args.count }, (_, index) => (index === 0 ? asNumber(args, first) : args.number(index)));
  }
  if (args.count > 1) throw args.fail('takes one array, or numbers');
  args.spend(first.length);
  return first.filter((item) => item !== null).map((item) => asNumber(args, item));
};

const asNumber = (args: Arguments, value: Json): number => {
  if (typeof value !== 'number') throw args.wrong(0, 'number, or array of numbers', value);
  return value;
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A number made from all the numbers given; null when there are none. */
const over =
  (compute: (values: readonly number[]) => number) =>
  (args: Arguments): Json => {
    const values = numbers(args);
    return values.length === 0 ? null : finite(args, compute(values));
  };

/** Functions over numbers. */
export const numberFunctions: Family = {
  number: { min: 1, max: 1, call: toNumber },
  round: { min: 1, max: 2, call: round },
  floor: { min: 1, max: 1, call: (args) => finite(args, Math.floor(args.number(0))) },
  ceil: { min: 1, max: 1, call: (args) => finite(args, Math.ceil(args.number(0))) },
  abs: { min: 1, max: 1, call: (args) => Math.abs(args.number(0)) },
  min: { min: 1, max: 50, call: over((values) => values.reduce((a, b) => Math.min(a, b))) },
  max: { min: 1, max: 50, call: over((values) => values.reduce((a, b) => Math.max(a, b))) },
  sum: { min: 1, max: 50, call: (args) => finite(args, sum(numbers(args))) },
  avg: { min: 1, max: 50, call: over((values) => sum(values) / values.length) },
};
