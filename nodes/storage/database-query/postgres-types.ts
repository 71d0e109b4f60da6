import type { Json } from '../../../lib/json';

type ReadText = (text: string) => Json;

const asText: ReadText = (text) => text;

/** JSON has no NaN and no infinity: those stay text. */
const asNumber: ReadText = (text) => {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
};

const asJson: ReadText = (text) => JSON.parse(text) as Json;

const asBytes: ReadText = (text) => Buffer.from(text.slice(2), 'hex').toString('base64');

/** `2026-01-02 03:04:05.678901+05:30` in ISO 8601; `infinity` and years BC are unchanged. */
const asInstant: ReadText = (text) => {
  const [, day, time, offset = ''] =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d(?::\d\d)*)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  const zone = offset === '+00' ? 'Z' : /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset;
  return `${day}T${time}${zone}`;
};

/** Types that are not listed stay text: 64-bit integers and decimals (exact), dates, intervals, ranges, points, ... */
const READERS: Readonly<Record<number, ReadText>> = {
  16: (text) => text === 't',
  17: asBytes,
  21: asNumber,
  23: asNumber,
  26: asNumber,
  114: asJson,
  700: asNumber,
  701: asNumber,
  1114: asInstant,
  1184: asInstant,
  3802: asJson,
};

/** The type of the elements by that of the list; `pg_type` of a server has them under these numbers since ever. */
const ELEMENT: Readonly<Record<number, number>> = {
  199: 114,
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
  2951: 2950,
  3807: 3802,
};

/** Parses a value of this type from PostgreSQL's text format. @throws Error if it is malformed */
export function valueOf(text: string, oid: number): Json {
  const element = ELEMENT[oid];
  return element === undefined ? (READERS[oid] ?? asText)(text) : listOf(text, READERS[element] ?? asText);
}

/** Lists have six dimensions at most. */
const MAX_DEPTH = 6;

/** `{1,NULL,"a\"b",{2}}`, after bounds such as `[0:2]=` where they are unusual. */
function listOf(text: string, read: ReadText): Json {
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const wrong = (): Error => new Error('no list of PostgreSQL');
  const quoted = (): string => {
    let value = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      if (at >= text.length) throw wrong();
      value += text[at];
    }
    at += 1;
    return value;
  };
  const bare = (): string => {
    const from = at;
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at += 1;
    return text.slice(from, at);
  };
  const list = (depth: number): Json[] => {
    if (depth > MAX_DEPTH || text[at] !== '{') throw wrong();
    const items: Json[] = [];
    at += 1;
    while (text[at] !== '}') {
      if (at >= text.length) throw wrong();
      if (text[at] === '{') items.push(list(depth + 1));
      else if (text[at] === '"') items.push(read(quoted()));
      else {
        const word = bare();
        items.push(word === 'NULL' ? null : read(word));
      }
      if (text[at] === ',') at += 1;
      else if (text[at] !== '}') throw wrong();
    }
    at += 1;
    return items;
  };
  return list(1);
}
