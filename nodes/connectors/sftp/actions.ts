import type { SFTPWrapper, Stats } from 'ssh2';
import { decodeBase64 } from '../../../lib/base64';
import { EgressError } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import type { Outcome } from '../../contract';
import { excerpt } from '../../redaction';
import { done, failConnection, failFinally } from '../../outcome';
import type { CodeAction } from '../contract';
import { InvalidInputError } from '../invalid-input-error';
import { SftpRefusedError, type Session, withSession } from './session';

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const PIECE = 32 * 1024;

/** An action that runs in a session, with errors as outcomes. */
export const over =
  (work: (input: JsonObject, session: Session) => Promise<JsonObject>): CodeAction['run'] =>
  async (input, account, ctx): Promise<Outcome> => {
    try {
      return done(await withSession(account, ctx, (session) => work(input, session)));
    } catch (fault) {
      if (fault instanceof SftpRefusedError)
        return failFinally(fault.code, `SFTP: ${excerpt(ctx.redact(fault.message))}`);
      if (fault instanceof EgressError) return failConnection('sftp', fault, `SFTP: ${ctx.redact(fault.message)}`);
      throw fault;
    }
  };

export async function listFolder({ path }: JsonObject, { sftp, ask }: Session): Promise<JsonObject> {
  const found = await ask<{ filename: string; attrs: Stats }[]>((response) => sftp.readdir(pathOf(path), response));
  const entries = found
    .filter(({ filename }) => filename !== '.' && filename !== '..')
    .sort((a, b) => (a.filename < b.filename ? -1 : 1))
    .map(({ filename, attrs }): JsonObject => ({ name: filename, ...attributesOf(attrs) }));
  return { entries: entries.slice(0, MAX_ENTRIES), count: entries.length, truncated: entries.length > MAX_ENTRIES };
}

export async function readFile({ path, encoding }: JsonObject, { sftp, ask }: Session): Promise<JsonObject> {
  const file = pathOf(path);
  const handle = await ask<Buffer>((response) => sftp.open(file, 'r', response));
  const { size } = await ask<Stats>((response) => sftp.fstat(handle, response));
  if (size > MAX_BYTES)
    throw new SftpRefusedError('sftp_refused', `${file} has ${size} bytes; at most ${MAX_BYTES} are read`);
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const piece = await pieceAt(sftp, ask, handle, at);
    if (piece.length === 0) break;
    at += piece.length;
    if (at > MAX_BYTES) throw new SftpRefusedError('sftp_refused', `${file} has more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  await ask<void>((response) => sftp.close(handle, (fault) => response(fault)));
  const bytes = Buffer.concat(pieces);
  return { content: encoding === 'base64' ? bytes.toString('base64') : bytes.toString(), size: bytes.length };
}

/** Bytes at an offset of a file; empty at its end. */
async function pieceAt(sftp: SFTPWrapper, ask: Session['ask'], handle: Buffer, at: number): Promise<Buffer> {
  const buffer = Buffer.alloc(PIECE);
  const count = await ask<number>((response) =>
    sftp.read(handle, buffer, 0, PIECE, at, (fault: (Error & { code?: unknown }) | undefined, read: number) =>
      // The end of the file is reported as a failure.
      fault?.code === 1 ? response(null, 0) : response(fault, read),
    ),
  );
  return buffer.subarray(0, count);
}

export async function writeFile(
  { path, content, content_base64 }: JsonObject,
  { sftp, ask }: Session,
): Promise<JsonObject> {
  const bytes = bytesOf(content, content_base64);
  await ask<void>((response) => sftp.writeFile(pathOf(path), bytes, (fault) => response(fault)));
  return { path: pathOf(path), size: bytes.length };
}

export async function removeFile({ path }: JsonObject, { sftp, ask }: Session): Promise<JsonObject> {
  try {
    await ask<void>((response) => sftp.unlink(pathOf(path), (fault) => response(fault)));
    return { removed: true };
  } catch (fault) {
    if (fault instanceof SftpRefusedError && fault.code === 'sftp_not_found') return { removed: false };
    throw fault;
  }
}

export async function renameFile({ from, to }: JsonObject, { sftp, ask }: Session): Promise<JsonObject> {
  await ask<void>((response) => sftp.rename(pathOf(from), pathOf(to), (fault) => response(fault)));
  return { path: pathOf(to) };
}

function pathOf(value: Json | undefined): string {
  if (typeof value !== 'string' || value === '' || value.includes('\0'))
    throw new InvalidInputError('a path must be a text');
  return value;
}

function bytesOf(text: Json | undefined, base64: Json | undefined): Buffer {
  if (typeof base64 !== 'string') return Buffer.from(String(text ?? ''));
  const bytes = decodeBase64(base64);
  if (bytes === null) throw new InvalidInputError('"content_base64" is not valid base64');
  return bytes;
}

const attributesOf = (attrs: Stats): JsonObject => ({
  kind: attrs.isDirectory() ? 'folder' : attrs.isFile() ? 'file' : 'other',
  size: attrs.size,
  modified_at: new Date(attrs.mtime * 1_000).toISOString(),
});
