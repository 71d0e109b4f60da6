import type { QueryFilter } from 'mongoose';
import { ofTenant } from '../../lib/tenant';
import type { Blobs } from './blobs';
import type { FileModel, FileRecord } from './models';

const BATCH = 200;

/**
 * Removes files of a tenant. Their contents become open first, then the records go, then the contents: a sweep finds
 * what is left of it after a crash, and no list ever shows a file whose content is gone.
 */
export async function removeFiles(
  files: FileModel,
  blobs: Blobs,
  tenantId: string,
  which: QueryFilter<FileRecord>,
  now: () => number,
): Promise<number> {
  const own = ofTenant(files, tenantId);
  let removed = 0;
  for (;;) {
    const batch = await own.find(which, { limit: BATCH, fields: ['blob_id'] });
    if (batch.length === 0) return removed;
    const contents = batch.map(({ blob_id }) => blob_id);
    await blobs.release(contents, new Date(now()));
    for (const { _id, blob_id } of batch) removed += await own.remove({ _id, blob_id });
    await blobs.remove(await unheld(files, contents));
  }
}

/** Of these contents, those that no file holds: one may have been kept by a writer at the same time. */
async function unheld(files: FileModel, contents: readonly string[]): Promise<string[]> {
  const held = await files
    .find({ blob_id: { $in: [...contents] } })
    .select('blob_id')
    .lean()
    .exec();
  const kept = new Set(held.map(({ blob_id }) => blob_id));
  return contents.filter((id) => !kept.has(id));
}
