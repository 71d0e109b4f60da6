import { AppError } from '../../lib/errors';
import { isUuid, randomId } from '../../lib/ids';
import { ofTenant } from '../../lib/tenant';
import { type FileModel, type FileRecord, fileId } from './models';
import { isShared } from './views';

const MAX_TRIES = 8;

/** Makes a file downloadable by its share id. A file that is already shared keeps its id. @throws AppError not_found */
export async function share(
  files: FileModel,
  tenantId: string,
  { executionId, path, until }: { executionId: string; path: string; until: Date | null },
  now: number,
): Promise<FileRecord & { share_id: string }> {
  const own = ofTenant(files, tenantId);
  const _id = fileId(tenantId, executionId, path);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await own.findOne({ _id });
    if (found === null) throw new AppError('not_found', `The run has no file ${path}`);
    // The id of an expired share must not become valid again.
    const share_id = isShared(found, now) ? (found.share_id as string) : randomId();
    const seen = { _id, blob_id: found.blob_id, share_id: found.share_id };
    const shared = await own.update(seen, { $set: { share_id, share_until: until } });
    if (shared !== null) return { ...shared, share_id };
  }
  throw new AppError('unavailable', `Too many concurrent changes of ${path}; try again`, { retry_after: 1 });
}

/** Finds a file by its share id, which is the only credential. @throws AppError not_found */
export async function sharedFile(files: FileModel, id: string, now: number): Promise<FileRecord> {
  const found = isUuid(id) ? await files.findOne({ share_id: id }).lean().exec() : null;
  if (found === null || !isShared(found, now))
    throw new AppError('not_found', 'There is no such file, or it is no longer shared');
  return found;
}
