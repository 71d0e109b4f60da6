import { ParseError } from './fault';

/** Text of a file, and whether its encoding was guessed. */
interface DecodedText {
  readonly text: string;
  readonly guessed: string | null;
}

const LEGACY = 'windows-1252';
/** How far an encoding declaration is searched for. */
const DECLARED_WITHIN = 1_024;
const SAMPLE = 4_096;

/**
 * Decodes the bytes of a file: by the byte order mark, the declared encoding (also in HTML or XML), UTF-8 if
 * well-formed, UTF-16 if every other byte is NUL, otherwise Windows-1252. Line ends become `\n`; invisible characters
 * and lone surrogates are replaced or removed.
 * @throws ParseError `unsupported_type` when the bytes are not text
 */
export function decodeText(bytes: Uint8Array, charset: string | null): DecodedText {
  const withMark = decodeByByteOrderMark(bytes);
  if (withMark !== null) return { text: cleanText(withMark), guessed: null };
  const wide = utf16Without(bytes);
  if (wide !== null) return { text: cleanText(wide), guessed: null };
  const utf8 = decoded(bytes, 'utf-8');
  // Well-formed UTF-8 with non-ASCII characters has no other encoding, even if a text about HTML contains a declaration.
  const sure = utf8 !== null && utf8.length < bytes.length ? utf8 : null;
  const claimed = decoded(bytes, charset) ?? sure ?? decoded(bytes, declaredIn(bytes)) ?? utf8;
  if (claimed !== null) return { text: cleanText(checked(claimed)), guessed: null };
  return { text: cleanText(checked(decoded(bytes, LEGACY) ?? '')), guessed: LEGACY };
}

/** Removes invisible characters and those that cannot be stored. */
export const cleanText = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\f', '\n\n')
    .replaceAll(/[\0-\x08\x0b\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff]/g, '')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');

function decodeByByteOrderMark(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return utf32(bytes.subarray(4), true);
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return utf32(bytes.subarray(4), false);
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder('utf-8').decode(bytes);
  return null;
}

const MAX_CODE_POINT = 0x10ffff;

function utf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const point = view.getUint32(at, littleEndian);
    pieces.push(point > MAX_CODE_POINT ? '\ufffd' : String.fromCodePoint(point));
  }
  return pieces.join('');
}

/** Detects UTF-16 without a mark: most languages have many spaces and digits, whose other byte is NUL. */
function utf16Without(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, SAMPLE);
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const many = sample.length / 8;
  if (odd > many && even < odd / 8) return new TextDecoder('utf-16le').decode(bytes);
  if (even > many && odd < even / 8) return new TextDecoder('utf-16be').decode(bytes);
  return null;
}

const WRONG_CLAIM = new Set(['ERR_ENCODING_NOT_SUPPORTED', 'ERR_ENCODING_INVALID_ENCODED_DATA']);

function decoded(bytes: Uint8Array, charset: string | null): string | null {
  if (charset === null) return null;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (fault) {
    // An unknown or wrong declared encoding, which is common.
    if (WRONG_CLAIM.has((fault as { readonly code: string }).code)) return null;
    throw fault;
  }
}

function declaredIn(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const [, xml] = /^\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w:.-]{1,40})["']/i.exec(head) ?? [];
  const [, meta] = /<meta[^>]{1,200}?charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(head) ?? [];
  return xml ?? meta ?? null;
}

/** Maximum control characters per 1,000 characters of text. */
const MAX_CONTROLS_PER_MILLE = 20;

function checked(text: string): string {
  const sample = text.slice(0, SAMPLE);
  const controls = sample.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  if (controls * 1_000 > sample.length * MAX_CONTROLS_PER_MILLE)
    throw new ParseError('unsupported_type', 'The file is neither text nor of a supported type.');
  return text;
}
