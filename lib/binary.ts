import type { Binary } from 'mongodb';

/** Bytes of a binary field, which the driver returns as Buffer or Binary. */
export const bytesOf = (data: Buffer | Binary): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.from(data.buffer).subarray(0, data.position);

/** 32-bit floats of a binary field. Copied, because a Float32Array needs an offset that is a multiple of four. */
export const floatsOf = (data: Buffer | Binary): Float32Array => new Float32Array(new Uint8Array(bytesOf(data)).buffer);
