import { contract } from './contract';
import { id } from './rules';
import { pageParams } from '../lib/page';
import * as s from '../lib/schema';

/**
 * Services transfer content in parts of this many bytes; only the last part of a file may be smaller. In base64, a part
 * fits into a NATS message with the default limit.
 */
export const PART_BYTES = 524_288;

/** The number of parts of a file of `size` bytes. */
export const partsOf = (size: number): number => Math.ceil(size / PART_BYTES);

/** A file of a run's workspace. Times are RFC 3339, `size` is in bytes, `sha256` in hexadecimal. */
export interface FileView {
  path: string;
  name: string;
  size: number;
  content_type: string;
  sha256: string;
  created_at: string;
}

export const FileContentRef = s.named(
  'FileContentRef',
  s.object({
    blob_id: s.text,
    path: s.text,
    name: s.text,
    size: s.number,
    content_type: s.text,
    sha256: s.text,
    created_at: s.text,
  }),
  'With the id by which its parts are read: of this content alone, not of what may take its place.',
);
export type FileContentRef = s.Infer<typeof FileContentRef>;

export const FileRow = s.named(
  'FileRow',
  s.object({
    url: s.text.nullable(),
    path: s.text,
    name: s.text,
    size: s.number,
    content_type: s.text,
    created_at: s.text,
  }),
  'A row of a list. `url`: the download address for the caller; null when there is none.',
);
export type FileRow = s.Infer<typeof FileRow>;

export const FilePart = s.named(
  'FilePart',
  s.object({
    data: s.text,
  }),
  "A part of a file's content, in base64.",
);
export type FilePart = s.Infer<typeof FilePart>;

const place = { type: 'string', min: 1, max: 4_096 } as const;

const count = { type: 'number', integer: true, min: 0 } as const;

const mediaType = { type: 'string', min: 3, max: 200 } as const;

/** Length of a full part in base64. */
const MAX_BASE64_CHARACTERS = Math.ceil(PART_BYTES / 3) * 4;

const origin = { type: 'string', pattern: /^https?:\/\/[\w.:[\]-]+$/, max: 300, optional: true } as const;

export const filesContract = contract('files', {
  /** Starts the upload of a file of a run. The caller chooses the id of the content, so that the call may be repeated. */
  begin: {
    access: 'internal',
    repeatable: true,
    summary: 'Begins a file of a run; its content follows in parts',
    params: {
      blob_id: { type: 'uuid' },
      execution_id: id,
      workflow_id: id,
      path: place,
      size: count,
      content_type: mediaType,
    },
    result: s.nothing,
  },
  /** Stores part `n` (from 0) of an upload. */
  put_part: {
    access: 'internal',
    repeatable: true,
    summary: 'A part of the content of a file that was begun',
    params: { blob_id: id, n: count, data: { type: 'string', max: MAX_BASE64_CHARACTERS } },
    result: s.nothing,
  },
  /** Completes an upload. The file replaces an existing one at its path. */
  commit: {
    access: 'internal',
    repeatable: true,
    summary: 'Stores a complete upload as the file at its path; replaces an existing file',
    params: { blob_id: id },
    result: s.typed<FileView>(),
  },
  /** Cancels an upload. A committed file is not changed. */
  give_up: {
    access: 'internal',
    repeatable: true,
    summary: 'Removes the content of a file that is not going to be committed',
    params: { blob_id: id },
    result: s.nothing,
  },
  /** A file of the tenant. */
  find: {
    access: 'internal',
    repeatable: true,
    summary: 'A file of a run',
    params: { execution_id: id, path: place },
    result: s.typed<FileContentRef>(),
  },
  read_part: {
    access: 'internal',
    repeatable: true,
    summary: 'A part of the content of a file',
    params: { blob_id: id, n: count },
    result: s.typed<FilePart>(),
  },
  /** A public download address of the file, valid until `until` (RFC 3339; null: no expiry). */
  share: {
    access: 'internal',
    repeatable: true,
    summary: 'An address at which anybody can download a file',
    params: { execution_id: id, path: place, until: { type: 'string', nullable: true, max: 40 } },
    result: s.typed<{
      url: string;
      id: string;
      expires_at: string | null;
    }>(),
  },
  /** Removes the files of a workflow, or of these runs of the tenant. Repeating it is harmless. */
  remove: {
    access: 'internal',
    repeatable: true,
    summary: 'Removes the files of a workflow, or of runs',
    params: {
      workflow_id: { ...id, optional: true },
      execution_ids: { type: 'array', items: id, max: 400, optional: true },
    },
    result: s.typed<{ removed: number }>(),
  },
  /** The total size of the tenant's files, in bytes. */
  usage: {
    access: 'internal',
    repeatable: true,
    summary: 'How much the tenant keeps',
    params: {},
    result: s.typed<{ bytes: number }>(),
  },
  list: {
    rest: 'GET /api/v1/workspaces/runs/:exec_id/files',
    access: 'viewer',
    paged: true,
    given: ['origin'],
    repeatable: true,
    integrators: true,
    summary: 'The files that a run has written',
    description: '`origin`: where the caller has reached the API, for addresses where BASE_URL is not set.',
    params: { exec_id: id, origin, ...pageParams },
    result: s.listed(FileRow),
    errors: ['not_found'],
  },
  list_public: {
    rest: 'GET /public/executions/:id/files',
    access: 'gateway',
    paged: true,
    given: ['origin'],
    repeatable: true,
    summary: 'The files of a run, by its id alone; with addresses of those that are shared',
    description: 'Addresses of shared files alone.',
    params: { id, origin, ...pageParams },
    result: s.listed(FileRow),
    errors: ['not_found'],
  },
  stat: {
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Metadata of a file of a run',
    params: { exec_id: id, path: place },
    result: FileContentRef,
    errors: ['not_found'],
  },
  part: {
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A part of the content of a file',
    params: { blob_id: id, n: count },
    result: FilePart,
  },
  shared: {
    access: 'internal',
    repeatable: true,
    summary: 'Metadata of a shared file, by the id of its share',
    params: { id },
    result: s.typed<FileContentRef>(),
    errors: ['not_found'],
  },
  shared_part: {
    access: 'internal',
    repeatable: true,
    summary: 'A part of the content of a shared file',
    params: { id, blob_id: id, n: count },
    result: s.typed<FilePart>(),
  },
});
