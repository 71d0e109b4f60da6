import { isObject } from '../../../lib/json';

/** An untrusted object. */
export type Fields = Readonly<Record<string, unknown>>;

const MAX_ID_CHARS = 512;

/** An id of a provider; null for other values. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS ? value : null;

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The object; an empty one for other values, so that omitted objects read like empty ones. */
export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A finite number or numeric text; null for other values. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Epoch seconds or milliseconds as RFC 3339; `now` for other values. */
export function instantOf(value: unknown, unitMs: number, now: number): string {
  const ms = (numberOf(value) ?? Number.NaN) * unitMs;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(now).toISOString() : date.toISOString();
}
