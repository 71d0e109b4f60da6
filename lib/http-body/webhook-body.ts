import type { Json } from '../json';
import { assertUtf8Charset, contentTypeOf, FORM, isJsonType, textOf, utf8 } from './content-type';
import { parseForm } from './form';
import { parseJson } from './json-body';
import { type FormFile, MULTIPART, parseMultipart } from './multipart-body';

/** Content of a webhook request. `files`: only for multipart/form-data. */
interface WebhookContent {
  body: Json;
  files?: FormFile[];
}

/**
 * Parses a webhook's body: JSON and forms are parsed; other text stays text; binary data becomes base64; an empty body
 * null.
 * @throws AppError invalid_json, invalid_request, unsupported_media_type, payload_too_large
 */
export async function webhookContent(contentType: string | undefined, bytes: Buffer): Promise<WebhookContent> {
  if (bytes.length === 0 || contentTypeOf(contentType)?.type !== MULTIPART)
    return { body: await bodyOf(contentType, bytes) };
  const { fields, files } = await parseMultipart(bytes, contentType as string);
  return { body: { ...fields }, files };
}

async function bodyOf(contentType: string | undefined, bytes: Buffer): Promise<Json> {
  if (bytes.length === 0) return null;
  const media = contentTypeOf(contentType);
  if (media !== null && isJsonType(media.type)) {
    assertUtf8Charset(media);
    return parseJson(bytes);
  }
  if (media?.type === FORM) return { ...(await parseForm(bytes, media)) };
  if (media?.type.startsWith('text/') === true) return textOf(bytes, media);
  return (await utf8(bytes)) ?? bytes.toString('base64');
}
