import { decodeBase64 } from '../../lib/base64';
import type { JsonObject } from '../../lib/json';
import { text } from './schemas';
import { Unusable } from './unusable';

/** Characters of base64: 16 MiB. */
const MOST_BASE64 = 22_400_000;

/** Members of an input that say what a file holds: one of them. */
export const FILE_CONTENT = {
  content: text('Text', 'What the file holds, as text.', 'item,price\npen,2'),
  content_base64: text('Bytes', 'What the file holds, in base64, instead of the text.', 'aGVsbG8=', {
    maxLength: MOST_BASE64,
  }),
} as const;

/** What a file holds, and its type where nobody says it. @throws Unusable */
export function fileContent({ content, content_base64: base64 }: JsonObject): { bytes: Buffer; type: string } {
  if (typeof content === 'string' && base64 === undefined) {
    return { type: 'text/plain; charset=utf-8', bytes: Buffer.from(content) };
  }
  if (typeof base64 !== 'string' || content !== undefined) {
    throw new Unusable('one of "content" and "content_base64" must say what the file holds');
  }
  const bytes = decodeBase64(base64);
  if (bytes === null) throw new Unusable('"content_base64" is no valid base64');
  return { type: 'application/octet-stream', bytes };
}
