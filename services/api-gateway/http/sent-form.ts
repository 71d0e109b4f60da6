import type { IncomingMessage } from 'node:http';
import { contentTypeOf } from '../../../lib/http-body/content-type';
import type { Query } from '../../../lib/http-body/form';
import { MULTIPART, parseRawMultipart, type RawFile } from '../../../lib/http-body/multipart-body';
import { formBody } from './body';

const MAX_FILES = 40;

/** A form as it was sent. Names and types of files are what the browser says of them. */
export interface Submission {
  readonly fields: Query;
  readonly files: readonly RawFile[];
}

/** Reads a sent form, with files or without. @throws AppError unsupported_media_type, payload_too_large, invalid_request */
export async function readSubmission(request: IncomingMessage, bytes: Buffer): Promise<Submission> {
  const type = request.headers['content-type'] ?? '';
  if (contentTypeOf(type)?.type !== MULTIPART) return { fields: await formBody(request, bytes), files: [] };
  const limits = {
    fileBytes: bytes.length + 1,
    filesBytes: bytes.length,
    files: MAX_FILES,
    advice: 'send fewer or smaller files',
  };
  return parseRawMultipart(bytes, type, limits);
}
