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
import { ownRow, publicRow, shareUrl, storedFileView } from './views';
import { Uploads } from './uploads';
import { pageOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

const MAX_CACHED_LIMITS = 20_000;

/** Files in the workspaces of runs: stored in the database and served to authorized callers. */
export const filesService = (app: App): ServiceSchema => {
  const now = (): number => app.clock.now();
  const db = app.db.db as unknown as Db;
  const files = fileModel(app.db);
  const blobs = new Blobs(db);
  const usedBytes = async (tenantId: string) => (await bytesOf(tenantId)) + (await blobs.reserved(tenantId));
  const quota = new StorageQuota(now, usedBytes, QUOTA_EXCEEDED);
  const plans = new ReadThrough<number | null>({ max: MAX_CACHED_LIMITS, ttlMs: CACHE_MAX_AGE_MS, now });
  const uploads = new Uploads({ files, blobs, quota, clock: app.clock, limit: storageLimit });
  let service: ServiceContext;
  const sweep = new Sweep(files, blobs, app.clock, (message) => service.log.warn(message));

  return defineService(app, filesContract, {
    handlers: {
      async begin({ params, tenantId }) {
        const { blob_id, execution_id, workflow_id, size, content_type } = params;
        if (size > app.config.uploadLimit)
          throw new AppError('payload_too_large', `A file may have at most ${app.config.uploadLimit} bytes`);
        if (!isMediaType(content_type)) throw new AppError('invalid_request', 'The content_type is not a media type');
        const path = pathOf(params.path);
        const run = { executionId: execution_id, workflowId: workflow_id };
        await uploads.begin(tenantId, { id: blob_id, ...run, path, size, contentType: content_type });
      },
      async put_part({ params: { blob_id, n, data }, tenantId }) {
        const bytes = decodeBase64(data);
        if (bytes === null) throw new AppError('invalid_request', 'The part is not base64');
        await blobs.put(tenantId, blob_id, n, bytes);
      },
      commit: ({ params: { blob_id }, tenantId }) => uploads.commit(tenantId, blob_id),
      give_up: ({ params: { blob_id }, tenantId }) => uploads.abandon(tenantId, blob_id),
      find: async ({ params, tenantId }) => storedFileView(await fileAt(tenantId, params.execution_id, params.path)),
      read_part: ({ params: { blob_id, n }, tenantId }) => ownPart(tenantId, blob_id, n),
      async share({ params: { execution_id, path, until }, tenantId }) {
        const end = until === null ? null : new Date(until);
        if (end !== null && Number.isNaN(end.getTime())) throw new AppError('invalid_request', "'until' is not a time");
        const file = { executionId: execution_id, path: pathOf(path), until: end };
        const { share_id, name } = await share(files, tenantId, file, now());
        return { url: shareUrl(app.config, share_id, name), id: share_id, expires_at: end?.toISOString() ?? null };
      },
      async remove({ params: { workflow_id, execution_ids = [] }, tenantId }) {
        const filter = workflow_id === undefined ? { execution_id: { $in: execution_ids } } : { workflow_id };
        const removed = await removeFiles(files, blobs, tenantId, filter, now);
        quota.forget(tenantId);
        return { removed };
      },
      usage: async ({ tenantId }) => ({ bytes: await bytesOf(tenantId) }),
      async list({ params, tenantId, call }) {
        const { exec_id: execution_id, origin } = params;
        await call('executions.get', { id: execution_id });
        const page = pageOf(params);
        const found = await ofTenant(files, tenantId).find({ execution_id }, { sort: { path: 1 }, ...page });
        return { data: found.map((record) => ownRow(record, { ...app.config, origin })), ...page };
      },
      async list_public({ params, call }) {
        await call('executions.public', { id: params.id });
        const page = pageOf(params);
        const sorted = files.find({ execution_id: params.id }).sort({ path: 1 });
        const found = await sorted.skip(page.offset).limit(page.limit).lean().exec();
        const address = { ...app.config, origin: params.origin };
        return { data: found.map((record) => publicRow(record, address, now())), ...page };
      },
      async stat({ params, tenantId, folders }) {
        const file = await fileAt(tenantId, params.exec_id, params.path);
        await folders.assertWorkflow(file.workflow_id, 'view', () => noFile(file.path));
        return storedFileView(file);
      },
      async part({ params: { blob_id, n }, tenantId, folders }) {
        if (await folders.areLimited()) {
          const of = await ofTenant(files, tenantId).findOne({ blob_id });
          if (of === null) throw contentReplaced();
          await folders.assertWorkflow(of.workflow_id, 'view', contentReplaced);
        }
        return ownPart(tenantId, blob_id, n);
      },
      shared: async ({ params }) => storedFileView(await sharedFile(files, params.id, now())),
      async shared_part({ params }) {
        const { blob_id } = await sharedFile(files, params.id, now());
        if (blob_id !== params.blob_id) throw contentReplaced();
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
    const path = pathOf(given);
    const found = await ofTenant(files, tenantId).findOne({ _id: fileId(tenantId, executionId, path) });
    if (found === null) throw noFile(path);
    return found;
  }

  async function ownPart(tenantId: string, blobId: string, n: number): Promise<FilePart> {
    if ((await blobs.get(tenantId, blobId)) === null) throw contentReplaced();
    return partOf(blobId, n);
  }

  async function partOf(blobId: string, n: number): Promise<FilePart> {
    const bytes = await blobs.read(blobId, n);
    if (bytes === null) throw contentReplaced();
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

const QUOTA_EXCEEDED = { limit: 'storage_mb', remedy: 'remove workflows whose files are not needed' } as const;

/** @throws AppError invalid_request */
function pathOf(given: string): string {
  const path = filePath(given);
  if (path.kind === 'path') return path.path;
  throw new AppError('invalid_request', `Invalid path of a file: ${path.problem}`);
}

const noFile = (path: string): AppError => new AppError('not_found', `The run has no file ${path}`);

const contentReplaced = (): AppError => new AppError('not_found', 'The file was deleted or replaced');

export default (broker: ServiceBroker): ServiceSchema => filesService(appOf(broker));
