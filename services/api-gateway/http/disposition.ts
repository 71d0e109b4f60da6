import { essenceOf } from '../../../lib/media-type';

/** Types that a browser may display inline: they run no scripts and load no other resources. */
const SHOWN: ReadonlySet<string> = new Set([
  'application/pdf',
  'audio/mpeg',
  'audio/wav',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'video/mp4',
]);

const MAX_NAME_CHARS = 150;

/**
 * Content-Disposition of a file (RFC 6266), with its name in ASCII for old clients and in UTF-8 (RFC 8187). HTML and SVG
 * files, which may contain scripts, are always attachments.
 */
export function dispositionOf(name: string, contentType: string): string {
  const kind = SHOWN.has(essenceOf(contentType)) ? 'inline' : 'attachment';
  const short = shortened(name.replace(/\p{Surrogate}/gu, '_'));
  const plain = short.replace(/[^\x20-\x7e]|["\\%;]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${extended(short)}`;
}

/** Shortens a name and keeps its extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_CHARS) return name;
  const extension = /\.[\w-]{1,12}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, MAX_NAME_CHARS - extension.length).join('') + extension;
}

/** Percent-encodes all characters except `attr-char`. */
const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
