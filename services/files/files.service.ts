import { filesContract } from '../../contracts/files';
import type { Db } from 'mongodb';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { decodeBase64 } from '../../lib/base64';
import { AppError } from '../../lib/errors';
import { filePath } from '../../lib/file-path';
import { isMediaType } from '../../lib/media-type';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { defineService, onStale, type ServiceContext } from '../../mixins/service';
import { StorageQuota } from '../../lib/storage-quota';
import { ofTenant } from '../../lib/tenant';
import { type App, appOf } from '../app';
import { Blobs } from './blobs';
import { type FilePart } from '../../contracts/files';
import { type FileRecord, fileId, fileModel } from './models';
import { removeFiles } from './removal';
import { share, sharedFile } from './sharing';
import { Sweep } from './sweep';
import { fileFound, ownRow, publicRow, shareUrl } from './views';
import { Writing } from './writing';
import { pageOf, rangeOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

const LIMITS_CACHED = 20_000;

/** What runs write: files in a workspace of each run, stored in the database, and served to authorized callers. */
export const filesService = (app: App): ServiceSchema => {
  const now = (): number => app.clock.now();
  const db = app.db.db as unknown as Db;
  const files = fileModel(app.db);
  const blobs = new Blobs(db);
  const stored = async (tenantId: string): Promise<number> =>
    (await bytesOf(tenantId)) + (await blobs.reserved(tenantId));
  const quota = new StorageQuota(now, stored, NO_ROOM);
  const plans = new ReadThrough<number | null>({ max: LIMITS_CACHED, ttlMs: CACHE_MAX_AGE_MS, now });
  const writing = new Writing({ files, blobs, quota, clock: app.clock, limit: storageLimit });
  let service: ServiceContext;
  const sweep = new Sweep(files, blobs, app.clock, (message) => service.log.warn(message));

  return defineService(app, filesContract, {
    handlers: {
      async begin({ params, tenantId }) {
        const { blob_id, execution_id, workflow_id, size, content_type } = params;
        if (size > app.config.uploadLimit)
          throw new AppError('payload_too_large', `A file may have ${app.config.uploadLimit} bytes at most`);
        if (!isMediaType(content_type)) throw new AppError('invalid_request', 'The content type is no media type');
        const path = pathOf(params.path);
        const run = { executionId: execution_id, workflowId: workflow_id };
        await writing.begin(tenantId, { id: blob_id, ...run, path, size, contentType: content_type });
      },
      async put_part({ params: { blob_id, n, data }, tenantId }) {
        const bytes = decodeBase64(data);
        if (bytes === null) throw new AppError('invalid_request', 'The part is no base64');
        await blobs.put(tenantId, blob_id, n, bytes);
      },
      commit: ({ params: { blob_id }, tenantId }) => writing.commit(tenantId, blob_id),
      give_up: ({ params: { blob_id }, tenantId }) => writing.giveUp(tenantId, blob_id),
      find: async ({ params, tenantId }) => fileFound(await fileAt(tenantId, params.execution_id, params.path)),
      read_part: ({ params: { blob_id, n }, tenantId }) => ownPart(tenantId, blob_id, n),
      async share({ params: { execution_id, path: wanted, until }, tenantId }) {
        const end = until === null ? null : new Date(until);
        if (end !== null && Number.isNaN(end.getTime())) throw new AppError('invalid_request', "'until' is no time");
        const which = { executionId: execution_id, path: pathOf(wanted), until: end };
        const { share_id, name } = await share(files, tenantId, which, now());
        return { url: shareUrl(app.config, share_id, name), id: share_id, expires_at: end?.toISOString() ?? null };
      },
      async remove({ params: { workflow_id, execution_ids = [] }, tenantId }) {
        const which = workflow_id === undefined ? { execution_id: { $in: execution_ids } } : { workflow_id };
        const removed = await removeFiles(files, blobs, tenantId, which, now);
        quota.forget(tenantId);
        return { removed };
      },
      usage: async ({ tenantId }) => ({ bytes: await bytesOf(tenantId) }),
      async list({ params: { exec_id, origin: reached, ...asked }, tenantId, call }) {
        await call('executions.get', { id: exec_id });
        const page = pageOf(asked);
        const options = { sort: { path: 1 } as const, ...rangeOf(page) };
        const found = await ofTenant(files, tenantId).find({ execution_id: exec_id }, options);
        return { data: found.map((record) => ownRow(record, { ...app.config, origin: reached })), ...page };
      },
      async list_public({ params, call }) {
        await call('executions.public', { id: params.id });
        const page = pageOf(params);
        const sorted = files.find({ execution_id: params.id }).sort({ path: 1 });
        const found = await sorted.skip(page.offset).limit(page.limit).lean().exec();
        const place = { ...app.config, origin: params.origin };
        return { data: found.map((record) => publicRow(record, place, now())), ...page };
      },
      stat: async ({ params, tenantId }) => fileFound(await fileAt(tenantId, params.exec_id, params.path)),
      part: ({ params: { blob_id, n }, tenantId }) => ownPart(tenantId, blob_id, n),
      shared: async ({ params }) => fileFound(await sharedFile(files, params.id, now())),
      async shared_part({ params }) {
        const { blob_id } = await sharedFile(files, params.id, now());
        if (blob_id !== params.blob_id) throw noContent();
        return partOf(blob_id, params.n);
      },
    },
    events: { 'cache.stale': onStale({ 'auth:tenant:': (tenantId) => plans.delete(tenantId) }) },
    async started(context) {
      service = context;
      await Promise.all([createIndexes(files), blobs.createIndexes()]);
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

const NO_ROOM = { limit: 'storage_mb', remedy: 'remove workflows whose files are not needed' } as const;

/** @throws AppError invalid_request */
function pathOf(given: string): string {
  const path = filePath(given);
  if (path.kind === 'path') return path.path;
  throw new AppError('invalid_request', `This is no path of a file: ${path.problem}`);
}

const noContent = (): AppError => new AppError('not_found', 'The file is gone, or another one has taken its place');

export default (broker: ServiceBroker): ServiceSchema => filesService(appOf(broker));
