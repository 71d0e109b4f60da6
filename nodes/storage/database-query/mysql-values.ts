import { type FieldPacket, Types } from 'mysql2';
import { isObject, type Json } from '../../../lib/json';

/** Types whose text `2026-01-02 03:04:05` is an instant of the session's time zone, or has no time zone. */
const INSTANTS = new Set<number | undefined>([Types.DATETIME, Types.TIMESTAMP]);

/** A column value as JSON. 64-bit integers, decimals and dates are text already. */
export function mysqlValue(value: unknown, field: FieldPacket | undefined): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return INSTANTS.has(field?.columnType) ? value.replace(' ', 'T') : value;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => mysqlValue(item, undefined));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mysqlValue(item, undefined)]));
  }
  return String(value);
}
