/**
 * Forms with a file (multipart/form-data, RFC 7578), taken apart as they come: of the file, no more is in memory than what
 * its taker has not taken yet.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '../../../lib/errors';
import { safeFileName } from '../../../lib/file-name';

/** The file of a form. Name and type are what the client says of it, and nothing goes by them alone. */
interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  /** Ends with an error where the file is cut off or too large. */
  readonly content: Readable;
}

const FILE_FIELD = 'file';
const LIMITS = {
  files: 1,
  fields: 20,
  fieldSize: 64 * 1024,
  parts: 21,
  headerPairs: 20,
  headerSize: 8 * 1024,
} as const;
/** What a form may have beside its file. */
const AROUND_BYTES = 256 * 1024;

/**
 * Reads a form: its one file, in the field `file`, goes to `take`, its other fields are answered. Of fields of one name,
 * the last counts. When it rejects, `take` has ended too.
 * @throws AppError unsupported_media_type, payload_too_large, invalid_request; and what `take` throws
 */
export async function readForm(
  request: IncomingMessage,
  maxBytes: number,
  take: (file: FormFile) => Promise<void>,
): Promise<Map<string, string>> {
  const parser = parserOf(request, maxBytes);
  const fields = new Map<string, string>();
  const taker = { done: Promise.resolve() };
  let given: Readable | null = null;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (fault: unknown): void => {
        // What is left is read and thrown away, so that the answer reaches a client who is still sending.
        request.unpipe(parser).on('error', ignore).resume();
        reject(fault);
        // Ends the reader that still waits for more of the file.
        given?.destroy(fault instanceof Error ? fault : undefined);
      };
      parser.on('field', (name, value, _nameCut, valueCut) => {
        if (valueCut) fail(new AppError('payload_too_large', `A field has at most ${LIMITS.fieldSize} bytes`));
        else if (name !== undefined) fields.set(name, value);
      });
      parser.on('file', (name, content, filename, _encoding, contentType) => {
        content.on('error', ignore);
        if (name !== FILE_FIELD || filename === undefined) {
          fail(noFile());
          content.resume();
          return;
        }
        given = content;
        content.on('limit', () => fail(tooLarge(maxBytes)));
        taker.done = take({ filename: safeFileName(filename), contentType, content });
        taker.done.catch(fail);
      });
      for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
        parser.on(limit, () => fail(invalid(`Send one file, and at most ${LIMITS.fields} other fields`)));
      parser.on('error', (cause) => fail(invalid('The form is broken, or was cut off', cause)));
      parser.on('finish', () => resolve());
      request.on('close', () => {
        if (!request.complete) fail(invalid('The form was cut off'));
      });
      // The client has disconnected meanwhile: no further events follow.
      if (request.destroyed) fail(invalid('The form was cut off'));
      else request.pipe(parser);
    });
  } finally {
    await taker.done.catch(ignore);
  }
  await taker.done;
  if (given === null) throw noFile();
  return fields;
}

function parserOf(request: IncomingMessage, maxBytes: number): BusboyInstance {
  const { headers } = request;
  const type = headers['content-type'];
  if (type === undefined || !/^multipart\/form-data\s*;/i.test(type) || !/;\s*boundary=/i.test(type))
    throw new AppError('unsupported_media_type', 'Send the file as multipart/form-data, in the field "file"');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the form without a Content-Encoding');
  if (Number(headers['content-length'] ?? 0) > maxBytes + AROUND_BYTES) throw tooLarge(maxBytes);
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: { ...LIMITS, fileSize: maxBytes },
      // A file is what has a name; by itself the parser would take any part of unknown bytes for one.
      isPartAFile: (_field, _type, filename) => filename !== undefined,
    });
  } catch (cause) {
    throw new AppError('unsupported_media_type', 'The boundary of the form cannot be read', {}, { cause });
  }
}

/** The caller gets the same error, or the first one. */
const ignore = (): void => {};

const noFile = (): AppError => invalid('The form has no file in the field "file"');

const tooLarge = (limit: number): AppError =>
  new AppError('payload_too_large', `The file is larger than ${limit} bytes`);

const invalid = (message: string, cause?: unknown): AppError => new AppError('invalid_request', message, {}, { cause });
