import type { QueryFilter } from 'mongoose';
import { ofTenant } from '../../lib/tenant';
import type { Blobs } from './blobs';
import type { FileModel, FileRecord } from './models';

const BATCH = 200;

/**
 * Removes files of a tenant: marks their contents as open, deletes the records, then deletes the contents. After a crash
 * the sweep deletes the open contents, and a listed file always has its content.
 */
export async function removeFiles(
  files: FileModel,
  blobs: Blobs,
  tenantId: string,
  filter: QueryFilter<FileRecord>,
  now: () => number,
): Promise<number> {
  const own = ofTenant(files, tenantId);
  let removed = 0;
  for (;;) {
    const batch = await own.find(filter, { limit: BATCH, fields: ['blob_id'] });
    if (batch.length === 0) return removed;
    const contents = batch.map(({ blob_id }) => blob_id);
    await blobs.release(contents, new Date(now()));
    for (const { _id, blob_id } of batch) removed += await own.remove({ _id, blob_id });
    await blobs.remove(await unreferenced(files, contents));
  }
}

/** The contents that no file references: a concurrent writer may have kept one of them. */
async function unreferenced(files: FileModel, contents: readonly string[]): Promise<string[]> {
  const referenced = new Set(await files.distinct('blob_id', { blob_id: { $in: [...contents] } }).exec());
  return contents.filter((id) => !referenced.has(id));
}
