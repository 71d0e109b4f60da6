import { createHash, createHmac } from 'node:crypto';
import { timeId } from '../../../lib/ids';
import type { Json } from '../../../lib/json';
import type { Arguments, Family } from './arguments';

const ALGORITHMS = ['sha256', 'sha1', 'sha384', 'sha512', 'md5'] as const;
const ENCODINGS = ['hex', 'base64', 'base64url'] as const;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text whose halves of surrogate pairs are whole, as UTF-8 and URLs demand. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

const parseJson = (args: Arguments): Json => {
  const text = args.text(0);
  args.work(text.length >> 1);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw args.fail('the string is not JSON, or nested too deep');
  }
  if (!isFinite(args.check(value))) throw args.fail('a number in the string is too large');
  return value;
};

/** False when a number inside is larger than numbers can be, which the parser reads as infinite. */
const isFinite = (value: Json): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isFinite)
    : Number.isFinite(value) || typeof value !== 'number';

const unbase64 = (args: Arguments): Json => {
  const text = args.text(0).replace(/\s/g, '');
  if (!BASE64.test(text)) throw args.fail('the string is not base64');
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    throw args.fail('the bytes are not UTF-8 text');
  }
};

const urlDecode = (args: Arguments): Json => {
  const text = args.text(0);
  try {
    return decodeURIComponent(text);
  } catch {
    throw args.fail('the string is not URL-encoded UTF-8');
  }
};

/** What is hashed: a string as it is, anything else as JSON text. */
const bytesOf = (args: Arguments): string => {
  const value = args.measured(0);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const hash = (args: Arguments): Json =>
  createHash(args.word(1, ALGORITHMS, 'sha256'))
    .update(bytesOf(args))
    .digest(args.word(2, ENCODINGS, 'hex'));

const hmac = (args: Arguments): Json =>
  createHmac(args.word(2, ALGORITHMS, 'sha256'), args.text(1))
    .update(bytesOf(args))
    .digest(args.word(3, ENCODINGS, 'hex'));

/** Functions from one notation into another. */
export const encodingFunctions: Family = {
  json: { min: 1, max: 1, call: (args) => JSON.stringify(args.measured(0)) },
  parse_json: { min: 1, max: 1, call: parseJson },
  base64: { min: 1, max: 1, call: (args) => Buffer.from(args.text(0), 'utf8').toString('base64') },
  unbase64: { min: 1, max: 1, call: unbase64 },
  url_encode: { min: 1, max: 1, call: (args) => encodeURIComponent(wellFormed(args.text(0))) },
  url_decode: { min: 1, max: 1, call: urlDecode },
  hash: { min: 1, max: 3, call: hash },
  hmac: { min: 2, max: 4, call: hmac },
  uuid: { min: 0, max: 0, call: ({ env }) => timeId(env.now, env.random(16)) },
};
