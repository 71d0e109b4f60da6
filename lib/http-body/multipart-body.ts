/** Parses forms with files (multipart/form-data, RFC 7578) from complete bodies. */
import { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '../errors';
import { safeFileName } from '../file-name';
import { TimeSlice } from '../time-slices';
import { namedValues, type Query } from './form';

export const MULTIPART = 'multipart/form-data';

/** A file of a form. Name and type are the client's. */
export interface FormFile {
  field: string;
  filename: string;
  content_type: string;
  /** Bytes. */
  size: number;
  content_base64: string;
}

const KIB = 1024;
const MAX_FILE_BYTES = 256 * KIB;
const MAX_FILES_BYTES = 1024 * KIB;
const MAX_FIELD_BYTES = 1024 * KIB;
const MAX_FILES = 20;
const MAX_FIELDS = 1_000;
const MAX_NAME_CHARACTERS = 200;
const CHUNK_BYTES = 64 * KIB;
const LIMITS = {
  files: MAX_FILES,
  fields: MAX_FIELDS,
  parts: MAX_FILES + MAX_FIELDS,
  fileSize: MAX_FILE_BYTES,
  fieldSize: MAX_FIELD_BYTES,
  headerPairs: 20,
  headerSize: 8 * KIB,
} as const;
const ELSEWHERE = 'store large files elsewhere and send their URLs';

/**
 * The fields of a form by name, and its files; empty file fields are skipped. Parsed in slices of the main thread.
 * @throws AppError invalid_request, payload_too_large
 */
export async function parseMultipart(
  bytes: Buffer,
  contentType: string,
): Promise<{ fields: Query; files: FormFile[] }> {
  const parser = parserOf(contentType);
  const fields: [string, string][] = [];
  const files: FormFile[] = [];
  let filesBytes = 0;
  await new Promise<void>((resolve, reject) => {
    const source = Readable.from(chunksOf(bytes), { objectMode: false });
    const fail = (fault: AppError): void => {
      source.unpipe(parser).destroy();
      reject(fault);
    };
    parser.on('field', (name, value, _nameCut, valueCut) => {
      if (!isName(name)) fail(badName());
      else if (valueCut) fail(tooLarge(`The field "${name}" is larger than ${MAX_FIELD_BYTES} bytes`));
      else fields.push([name, value]);
    });
    parser.on('file', (field, content, filename, _encoding, content_type) => {
      if (!isName(field)) fail(badName());
      const chunks: Buffer[] = [];
      content.on('error', () => fail(broken()));
      content.on('limit', () =>
        fail(tooLarge(`The file in "${field}" is larger than ${MAX_FILE_BYTES} bytes; ${ELSEWHERE}`)),
      );
      content.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        filesBytes += chunk.length;
        if (filesBytes > MAX_FILES_BYTES)
          fail(tooLarge(`The files have more than ${MAX_FILES_BYTES} bytes together; ${ELSEWHERE}`));
      });
      content.on('end', () => {
        const all = Buffer.concat(chunks);
        if (all.length === 0 && !filename) return;
        const about = { field, filename: safeFileName(filename ?? ''), content_type: content_type || 'text/plain' };
        files.push({ ...about, size: all.length, content_base64: all.toString('base64') });
      });
    });
    parser.on('filesLimit', () => fail(tooLarge(`The form has more than ${MAX_FILES} files; send fewer`)));
    for (const limit of ['fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => fail(invalid(`The form has more than ${MAX_FIELDS} fields`)));
    parser.on('error', (cause) => fail(broken(cause)));
    parser.on('finish', () => resolve());
    source.pipe(parser);
  });
  return { fields: namedValues(fields), files };
}

function parserOf(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      isPartAFile: (_field, _type, filename) => filename !== undefined,
    });
  } catch (cause) {
    throw invalid('The Content-Type of the form has no boundary; let the HTTP client set it', cause);
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (slice.due) await slice.pause();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** The parser passes undefined for a part without a name, contrary to its types. */
const isName = (name: string | undefined): name is string => name !== undefined && name.length <= MAX_NAME_CHARACTERS;
const badName = (): AppError =>
  invalid(`Each part of the form needs a name of at most ${MAX_NAME_CHARACTERS} characters`);

const invalid = (message: string, cause?: unknown): AppError => new AppError('invalid_request', message, {}, { cause });
const tooLarge = (message: string): AppError => new AppError('payload_too_large', message);
const broken = (cause?: unknown): AppError => invalid('The form is malformed or incomplete', cause);
