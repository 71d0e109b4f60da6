import { decodeBase64 } from '../../../lib/base64';
import { AppError } from '../../../lib/errors';
import type { Call } from '../../../contracts/catalogue';
import { partsOf } from '../../../contracts/files';
import type { BaseRecord } from '../models';
import type { KnowledgeParts } from '../parts';

/** A file of a run's workspace, and which upload it becomes. */
interface FileOfRun {
  readonly id: string;
  readonly executionId: string;
  readonly path: string;
}

/**
 * Takes a file of a run in as an upload, part by part from the service that keeps it; answers its size in bytes. Doing it
 * again before the upload is committed changes nothing. @throws AppError not_found, payload_too_large, quota_exceeded
 */
export async function takeFile(
  { contents, app }: Pick<KnowledgeParts, 'contents' | 'app'>,
  call: Call,
  { _id: baseId, tenant_id: tenantId }: BaseRecord,
  { id, executionId, path }: FileOfRun,
): Promise<number> {
  const asService = { asServiceOf: tenantId };
  const found = await call('files.find', { execution_id: executionId, path }, asService);
  const { blob_id, name, size, content_type } = found;
  if (size > app.config.uploadLimit)
    throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
  await contents.begin(tenantId, { id, baseId, filename: name, contentType: content_type, bytes: size });
  for (let n = 0; n < partsOf(size); n++) {
    const { data } = await call('files.read_part', { blob_id, n }, asService);
    const bytes = decodeBase64(data);
    if (bytes === null) throw new AppError('internal', `Part ${n} of the file ${path} is no base64`);
    await contents.putUpload(tenantId, id, n, bytes);
  }
  return size;
}
