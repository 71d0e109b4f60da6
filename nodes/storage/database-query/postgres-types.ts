import { types } from 'pg';
import type { Json } from '../../../lib/json';

type Reader = (text: string) => Json;

const asText: Reader = (text) => text;

/** JSON has no NaN and no infinity: those stay text. */
const asNumber: Reader = (text) => {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
};

/** `2026-01-02 03:04:05.678901+05:30`, as ISO 8601 has it; `infinity`, and years before Christ, as they are. */
const asInstant: Reader = (text) => {
  const [, day, time, offset = ''] =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d(?::\d\d)*)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  const zone = offset === '+00' ? 'Z' : /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset;
  return `${day}T${time}${zone}`;
};

const asBytes: Reader = (text) => Buffer.from(text.slice(2), 'hex').toString('base64');

/** The type of the elements by that of the list; `pg_type` of a server has them under these numbers since ever. */
const ELEMENT: Readonly<Record<number, number>> = {
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1115: 1114,
  1182: 1082,
  1183: 1083,
  1185: 1184,
  1231: 1700,
  199: 114,
  2951: 2950,
  3807: 3802,
};

/** What is not here stays text: whole numbers of 64 bits and decimals (exact), dates, intervals, ranges, points, ... */
const READERS: Readonly<Record<number, Reader>> = {
  16: (text) => text === 't',
  17: asBytes,
  21: asNumber,
  23: asNumber,
  26: asNumber,
  114: (text) => JSON.parse(text) as Json,
  700: asNumber,
  701: asNumber,
  1114: asInstant,
  1184: asInstant,
  3802: (text) => JSON.parse(text) as Json,
};

// pg-types exports a maker of parsers, and declares it as the parser itself.
const lists = types.arrayParser as unknown as {
  create(text: string, read: Reader): { parse(): Json };
};

function readerOf(oid: number): Reader {
  const element = ELEMENT[oid];
  return element === undefined
    ? (READERS[oid] ?? asText)
    : (text) => lists.create(text, READERS[element] ?? asText).parse();
}

/** How the client is to read values of PostgreSQL. */
export const POSTGRES_TYPES = { getTypeParser: readerOf };
