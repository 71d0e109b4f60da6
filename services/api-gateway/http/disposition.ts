import { essenceOf } from '../../../lib/media-type';

/** What a browser may show by itself: nothing in it runs or reaches out. */
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

const LONGEST = 150;

/**
 * Content-Disposition of a file (RFC 6266): with its name in ASCII for old clients, and as it is (RFC 8187). Pages and
 * drawings, which may hold scripts, are always attachments.
 */
export function dispositionOf(name: string, contentType: string): string {
  const kind = SHOWN.has(essenceOf(contentType)) ? 'inline' : 'attachment';
  const short = shortened(name.replace(/\p{Surrogate}/gu, '_'));
  const plain = short.replace(/[^\x20-\x7e]|["\\%;]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${extended(short)}`;
}

/** With its extension, by which systems tell what it is. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const extension = /\.[\w-]{1,12}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, LONGEST - extension.length).join('') + extension;
}

/** `attr-char` as it is, everything else percent-encoded. */
const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
