import type { Db } from 'mongodb';
import type { ServiceSchema } from 'moleculer';
import { decodeBase64 } from '../../lib/base64';
import { AppError } from '../../lib/errors';
import { filePath } from '../../lib/file-path';
import { isMediaType } from '../../lib/media-type';
import { ReadThrough } from '../../lib/read-through';
import { defineService, type ServiceContext } from '../../mixins/service';
import { StorageQuota } from '../../mixins/storage-quota';
import { ofTenant } from '../../mixins/tenant';
import type { App } from '../app';
import { Blobs } from './blobs';
import { type FilePart, PART_BYTES } from './contract';
import { type FileRecord, fileId, fileModel } from './models';
import { removeFiles } from './removal';
import { share, sharedFile } from './sharing';
import { Sweep } from './sweep';
import { fileFound, ownRow, publicRow, shareUrl } from './views';
import { Writing } from './writing';

const id = { type: 'string', min: 1, max: 100 } as const;
const place = { type: 'string', min: 1, max: 4_096 } as const;
const mediaType = { type: 'string', min: 3, max: 200 } as const;
const count = { type: 'number', integer: true, min: 0 } as const;
const origin = { type: 'string', pattern: /^https?:\/\/[\w.:[\]-]+$/, max: 300, optional: true } as const;
const MOST_BASE64 = Math.ceil(PART_BYTES / 3) * 4;
const LIMITS_TTL_MS = 5_000;
const LIMITS_CACHED = 20_000;

/** What runs write: files in a workspace of each run, kept in the database, and given to whoever may have them. */
export const filesService = (app: App): ServiceSchema => {
  const now = (): number => app.clock.now();
  const db = app.db.db as unknown as Db;
  const files = fileModel(app.db);
  const blobs = new Blobs(db);
  const quota = new StorageQuota(now, bytesOf, noRoom);
  const plans = new ReadThrough<number | null>({ max: LIMITS_CACHED, ttlMs: LIMITS_TTL_MS, now });
  const writing = new Writing({ files, blobs, quota, clock: app.clock, limit: storageLimit });
  let service: ServiceContext;
  const sweep = new Sweep(files, blobs, app.clock, (message) => service.log.warn(message));

  return defineService(app, 'files', {
    actions: {
      begin: {
        access: 'internal',
        summary: 'Begins a file of a run; its content follows in parts',
        params: {
          blob_id: { type: 'uuid' },
          execution_id: id,
          workflow_id: id,
          path: place,
          size: count,
          content_type: mediaType,
        },
        async handle({ params, tenantId }) {
          const { blob_id, execution_id, workflow_id, size, content_type } = params;
          if (size > app.config.uploadLimit)
            throw new AppError('payload_too_large', `A file may have ${app.config.uploadLimit} bytes at most`);
          if (!isMediaType(content_type)) throw new AppError('invalid_request', 'The content type is no media type');
          const path = pathOf(params.path);
          await writing.assertMayCome(tenantId, { executionId: execution_id, path, size });
          const run = { executionId: execution_id, workflowId: workflow_id };
          const begun = { id: blob_id, tenantId, ...run, path, size, contentType: content_type };
          await blobs.begin(begun, new Date(now()));
        },
      },
      put_part: {
        access: 'internal',
        summary: 'A part of the content of a file that was begun',
        params: { blob_id: id, n: count, data: { type: 'string', max: MOST_BASE64 } },
        async handle({ params: { blob_id, n, data }, tenantId }) {
          const bytes = decodeBase64(data);
          if (bytes === null) throw new AppError('invalid_request', 'The part is no base64');
          await blobs.put(tenantId, blob_id, n, bytes);
        },
      },
      commit: {
        access: 'internal',
        summary: 'Puts a file whose parts are all there in the place of what was at its path',
        params: { blob_id: id },
        handle: ({ params: { blob_id }, tenantId }) => writing.commit(tenantId, blob_id),
      },
      give_up: {
        access: 'internal',
        summary: 'Removes the content of a file that is not going to be committed',
        params: { blob_id: id },
        handle: ({ params: { blob_id }, tenantId }) => writing.giveUp(tenantId, blob_id),
      },
      find: {
        access: 'internal',
        summary: 'A file of a run',
        params: { execution_id: id, path: place },
        handle: async ({ params, tenantId }) => fileFound(await fileAt(tenantId, params.execution_id, params.path)),
      },
      read_part: {
        access: 'internal',
        summary: 'A part of the content of a file',
        params: { blob_id: id, n: count },
        handle: ({ params: { blob_id, n }, tenantId }) => ownPart(tenantId, blob_id, n),
      },
      share: {
        access: 'internal',
        summary: 'An address at which anybody can download a file',
        params: { execution_id: id, path: place, until: { type: 'string', nullable: true, max: 40 } },
        async handle({ params: { execution_id, path: wanted, until }, tenantId }) {
          const end = until === null ? null : new Date(until);
          if (end !== null && Number.isNaN(end.getTime())) throw new AppError('invalid_request', "'until' is no time");
          const which = { executionId: execution_id, path: pathOf(wanted), until: end };
          const { share_id, name } = await share(files, tenantId, which, now());
          return { url: shareUrl(app.config, share_id, name), id: share_id, expires_at: end?.toISOString() ?? null };
        },
      },
      remove: {
        access: 'internal',
        summary: 'Removes the files of a workflow, or of runs',
        params: {
          workflow_id: { ...id, optional: true },
          execution_ids: { type: 'array', items: id, max: 400, optional: true },
        },
        async handle({ params: { workflow_id, execution_ids = [] }, tenantId }) {
          const which = workflow_id === undefined ? { execution_id: { $in: execution_ids } } : { workflow_id };
          const removed = await removeFiles(files, blobs, tenantId, which, now);
          quota.forget(tenantId);
          return { removed };
        },
      },
      usage: {
        access: 'internal',
        summary: 'How much the tenant keeps',
        params: {},
        handle: async ({ tenantId }) => ({ bytes: await bytesOf(tenantId) }),
      },
      list: {
        access: 'member',
        summary: 'The files that a run has written',
        params: { exec_id: id, origin },
        async handle({ params: { exec_id, origin: reached }, tenantId, call }) {
          await call('executions.get', { id: exec_id });
          const found = await ofTenant(files, tenantId).find({ execution_id: exec_id }, { sort: { path: 1 } });
          return { data: found.map((record) => ownRow(record, { ...app.config, origin: reached })) };
        },
      },
      list_public: {
        access: 'internal',
        summary: 'The files that a run has written, for whoever holds its id',
        params: { id, origin },
        async handle({ params, call }) {
          await call('executions.public', { id: params.id });
          const found = await files.find({ execution_id: params.id }).sort({ path: 1 }).lean().exec();
          return { data: found.map((record) => publicRow(record, { ...app.config, origin: params.origin }, now())) };
        },
      },
      stat: {
        access: 'member',
        summary: 'What a file of a run is',
        params: { exec_id: id, path: place },
        handle: async ({ params, tenantId }) => fileFound(await fileAt(tenantId, params.exec_id, params.path)),
      },
      part: {
        access: 'member',
        summary: 'A part of the content of a file',
        params: { blob_id: id, n: count },
        handle: ({ params: { blob_id, n }, tenantId }) => ownPart(tenantId, blob_id, n),
      },
      shared: {
        access: 'internal',
        summary: 'What a shared file is, for whoever holds the id of its share',
        params: { id },
        handle: async ({ params }) => fileFound(await sharedFile(files, params.id, now())),
      },
      shared_part: {
        access: 'internal',
        summary: 'A part of the content of a shared file',
        params: { id, blob_id: id, n: count },
        async handle({ params }) {
          const { blob_id } = await sharedFile(files, params.id, now());
          if (blob_id !== params.blob_id) throw noContent();
          return partOf(blob_id, params.n);
        },
      },
    },
    async started(context) {
      service = context;
      await Promise.all([files.createIndexes(), blobs.createIndexes()]);
      sweep.start();
    },
    stopped: () => sweep.stop(),
  });

  async function fileAt(tenantId: string, executionId: string, given: string): Promise<FileRecord> {
    const wanted = pathOf(given);
    const found = await ofTenant(files, tenantId).findOne({ _id: fileId(tenantId, executionId, wanted) });
    if (found === null) throw new AppError('not_found', `The run has no file ${wanted}`);
    return found;
  }

  async function ownPart(tenantId: string, blobId: string, n: number): Promise<FilePart> {
    if ((await blobs.get(tenantId, blobId)) === null) throw noContent();
    return partOf(blobId, n);
  }

  async function partOf(blobId: string, n: number): Promise<FilePart> {
    const bytes = await blobs.read(blobId, n);
    if (bytes === null) throw noContent();
    return { data: bytes.toString('base64') };
  }

  function storageLimit(tenantId: string): Promise<number | null> {
    return plans.get(tenantId, async () => {
      const { limits } = await service.call('auth.entitlements', {}, { asServiceOf: tenantId });
      return limits.storage_mb;
    });
  }

  async function bytesOf(tenantId: string): Promise<number> {
    const [sum] = await files
      .aggregate<{ bytes: number }>([
        { $match: { tenant_id: tenantId } },
        { $group: { _id: null, bytes: { $sum: '$size' } } },
      ])
      .exec();
    return sum?.bytes ?? 0;
  }
};

const noRoom = (limit: number, grow: number): string =>
  `Your plan keeps ${limit} MiB of files, and ${grow} bytes more are beyond that; remove workflows whose files are not needed, or upgrade the plan`;

/** @throws AppError invalid_request */
function pathOf(given: string): string {
  const path = filePath(given);
  if (path.kind === 'path') return path.path;
  throw new AppError('invalid_request', `This is no path of a file: ${path.problem}`);
}

const noContent = (): AppError => new AppError('not_found', 'The file is gone, or another one has taken its place');
