import type { Json } from '../json';
import { contentTypeOf, FORM, isJsonType, textOf, utf8 } from './content-type';
import { parseQuery } from './form';
import { parseJson } from './json-body';

/**
 * What a webhook's body holds: JSON and forms parsed; other text as text; what is not text in base64; null for an empty
 * one. @throws AppError invalid_json, invalid_request, unsupported_media_type
 */
export function webhookBody(contentType: string | undefined, bytes: Buffer): Json {
  if (bytes.length === 0) return null;
  const media = contentTypeOf(contentType);
  if (media !== null && isJsonType(media.type)) return parseJson(textOf(bytes, media));
  if (media?.type === FORM) return { ...parseQuery(textOf(bytes, media)) };
  if (media?.type.startsWith('text/') === true) return textOf(bytes, media);
  return utf8(bytes) ?? bytes.toString('base64');
}
