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
  fields: MAX_FIELDS,
  fieldSize: MAX_FIELD_BYTES,
  headerPairs: 20,
  headerSize: 8 * KIB,
} as const;

/** A file of a form as its bytes. */
export interface RawFile extends Omit<FormFile, 'size' | 'content_base64'> {
  readonly content: Buffer;
}

/** Limits of the files of a form. `advice`: what to do with larger ones. */
interface FileLimits {
  readonly fileBytes: number;
  readonly filesBytes: number;
  readonly files: number;
  readonly advice: string;
}

const SMALL_FILES: FileLimits = {
  fileBytes: MAX_FILE_BYTES,
  filesBytes: MAX_FILES_BYTES,
  files: MAX_FILES,
  advice: 'store large files elsewhere and send their URLs',
};

/**
 * The fields of a form by name, and its files; empty file fields are skipped. Parsed in slices of the main thread.
 * @throws AppError invalid_request, payload_too_large
 */
export async function parseMultipart(
  bytes: Buffer,
  contentType: string,
): Promise<{ fields: Query; files: FormFile[] }> {
  const { fields, files } = await parseRawMultipart(bytes, contentType, SMALL_FILES);
  return {
    fields,
    files: files.map(({ content, ...file }) => ({
      ...file,
      size: content.length,
      content_base64: content.toString('base64'),
    })),
  };
}

/** The same with the files as their bytes. @throws AppError invalid_request, payload_too_large */
export async function parseRawMultipart(
  bytes: Buffer,
  contentType: string,
  limits: FileLimits,
): Promise<{ fields: Query; files: RawFile[] }> {
  const parser = parserOf(contentType, limits);
  const fields: [string, string][] = [];
  const files: RawFile[] = [];
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
        fail(tooLarge(`The file in "${field}" is larger than ${limits.fileBytes} bytes; ${limits.advice}`)),
      );
      content.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        filesBytes += chunk.length;
        if (filesBytes > limits.filesBytes)
          fail(tooLarge(`The files have more than ${limits.filesBytes} bytes together; ${limits.advice}`));
      });
      content.on('end', () => {
        const all = Buffer.concat(chunks);
        if (all.length === 0 && !filename) return;
        const about = { field, filename: safeFileName(filename ?? ''), content_type: content_type || 'text/plain' };
        files.push({ ...about, content: all });
      });
    });
    parser.on('filesLimit', () => fail(tooLarge(`The form has more than ${limits.files} files; send fewer`)));
    for (const limit of ['fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => fail(invalid(`The form has more than ${MAX_FIELDS} fields`)));
    parser.on('error', (cause) => fail(broken(cause)));
    parser.on('finish', () => resolve());
    source.pipe(parser);
  });
  return { fields: namedValues(fields), files };
}

function parserOf(contentType: string, { fileBytes, files }: FileLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...LIMITS, files, parts: files + MAX_FIELDS, fileSize: fileBytes },
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
