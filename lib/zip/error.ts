/**
 * Why an archive is rejected: `not_a_zip` (not an archive, or truncated), `encrypted`, `unsupported` (ZIP64, several
 * disks, a compression method other than deflate), `too_many_entries`, `too_large` (uncompressed size or ratio),
 * `broken` (inconsistent).
 */
export type ZipErrorCode = 'not_a_zip' | 'encrypted' | 'unsupported' | 'too_many_entries' | 'too_large' | 'broken';

/** A fault of an archive, with a message for its owner. */
export class ZipError extends Error {
  constructor(
    readonly code: ZipErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'ZipError';
  }
}
