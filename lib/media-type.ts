import { lookup } from 'mime-types';

/** A token (RFC 9110 section 5.6.2). */
const TOKEN = "[!#$%&'*+.^_`|~\\dA-Za-z-]+";
const PARAMETER = `\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]*")`;
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:${PARAMETER})*$`);
const MAX_TYPE_CHARACTERS = 200;

/** True for a media type with parameters (RFC 9110 section 8.3.1), such as `text/csv; charset=utf-8`. */
export const isMediaType = (text: string): boolean => text.length <= MAX_TYPE_CHARACTERS && MEDIA_TYPE.test(text);

/** Type and subtype in lower case, without parameters. */
export const essenceOf = (mediaType: string): string => (mediaType.split(';', 1)[0] as string).trim().toLowerCase();

/** The media type by file extension, text with its charset; null when unknown. */
export function mediaTypeOfName(name: string): string | null {
  const type = lookup(name);
  if (type === false) return null;
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
