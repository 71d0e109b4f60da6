import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Document } from 'bson';
import type { GridFSBucket } from 'mongodb';

type BucketOperation = (bucket: GridFSBucket, args: Document) => unknown;

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Operations on a GridFS bucket. */
export const BUCKET_OPERATIONS: Record<string, BucketOperation> = {
  delete: (bucket, { id }) => bucket.delete(id),
  download: (bucket, { id }) => collect(bucket.openDownloadStream(id)),
  downloadByName: (bucket, { filename, ...options }) => collect(bucket.openDownloadStreamByName(filename, options)),
  rename: (bucket, { id, newFilename }) => bucket.rename(id, newFilename),
  upload: async (bucket, { filename, source, ...options }) => {
    const stream = bucket.openUploadStream(filename, options);
    await pipeline(Readable.from([Buffer.from(source.$$hexBytes, 'hex')]), stream);
    return stream.id;
  },
};
