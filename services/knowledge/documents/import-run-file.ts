import { decodeBase64 } from '../../../lib/base64';
import { AppError } from '../../../lib/errors';
import type { Call } from '../../../contracts/catalogue';
import { partsOf } from '../../../contracts/files';
import type { BaseRecord } from '../models';
import type { KnowledgeDeps } from '../deps';

/** A file in the workspace of a run. `id` is the id of the upload and of its document. */
interface RunFile {
  readonly id: string;
  readonly executionId: string;
  readonly path: string;
}

/**
 * Copies a file of a run into an upload, part by part, and returns its size in bytes. Idempotent until the upload is
 * committed. @throws AppError not_found, payload_too_large, quota_exceeded
 */
export async function importRunFile(
  { contents, app }: Pick<KnowledgeDeps, 'contents' | 'app'>,
  call: Call,
  { _id: baseId, tenant_id: tenantId }: BaseRecord,
  { id, executionId, path }: RunFile,
): Promise<number> {
  const asService = { asServiceOf: tenantId };
  const found = await call('files.find', { execution_id: executionId, path }, asService);
  const { blob_id, name, size, content_type } = found;
  if (size > app.config.uploadLimit)
    throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
  await contents.beginUpload(tenantId, { id, baseId, filename: name, contentType: content_type, bytes: size });
  for (let n = 0; n < partsOf(size); n++) {
    const { data } = await call('files.read_part', { blob_id, n }, asService);
    const bytes = decodeBase64(data);
    if (bytes === null) throw new AppError('internal', `Part ${n} of the file ${path} is not valid base64`);
    await contents.putUploadPart(tenantId, id, n, bytes);
  }
  return size;
}
