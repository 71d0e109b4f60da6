import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { AppError } from '../../../lib/errors';
import { safeFileName } from '../../../lib/file-name';
import { namedValues, type Query } from '../../../lib/http-body/form';
import { isMediaType } from '../../../lib/media-type';
import { formBody } from '../http/body';

const LIMITS = {
  files: 40,
  fields: 1_000,
  fieldSize: 256 * 1024,
  parts: 1_040,
  headerPairs: 20,
  headerSize: 8 * 1024,
} as const;

/** A file as it was sent. Name and type are what the browser says of it. */
export interface SentFile {
  /** The name of its control. */
  readonly control: string;
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A form as it was sent. */
export interface Submission {
  readonly fields: Query;
  readonly files: readonly SentFile[];
}

const MULTIPART = /^multipart\/form-data\s*;.*boundary=/i;

/** Reads a sent form, with files or without. @throws AppError unsupported_media_type, payload_too_large, invalid_request */
export async function readSubmission(request: IncomingMessage, bytes: Buffer): Promise<Submission> {
  const type = request.headers['content-type'] ?? '';
  return MULTIPART.test(type) ? readMultipart(type, bytes) : { fields: await formBody(request, bytes), files: [] };
}

function readMultipart(type: string, bytes: Buffer): Promise<Submission> {
  return new Promise((resolve, reject) => {
    const pairs: [string, string][] = [];
    const files: SentFile[] = [];
    const parser = new Busboy({
      headers: { 'content-type': type },
      limits: { ...LIMITS, fileSize: bytes.length },
      isPartAFile: (_field, _type, filename) => filename !== undefined,
    });
    parser.on('field', (name, value, _nameCut, valueCut) => {
      if (valueCut) reject(new AppError('payload_too_large', `A field has at most ${LIMITS.fieldSize} bytes`));
      else if (name !== undefined) pairs.push([name, value]);
    });
    parser.on('file', (control, content, filename, _encoding, contentType) => {
      const chunks: Buffer[] = [];
      content.on('data', (chunk: Buffer) => chunks.push(chunk));
      content.on('end', () => {
        const whole = Buffer.concat(chunks);
        // A control without a file is sent as an empty file without a name.
        if (control === undefined || ((filename ?? '') === '' && whole.length === 0)) return;
        files.push({
          control,
          filename: safeFileName(filename ?? ''),
          contentType: isMediaType(contentType) ? contentType : 'application/octet-stream',
          content: whole,
        });
      });
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => reject(new AppError('invalid_request', 'The form has too many fields or files')));
    parser.on('error', (cause) => reject(broken(cause)));
    parser.on('finish', () => resolve({ fields: namedValues(pairs), files }));
    parser.end(bytes);
  });
}

const broken = (cause: unknown): AppError =>
  new AppError('invalid_request', 'The form is broken, or was cut off', {}, { cause });
