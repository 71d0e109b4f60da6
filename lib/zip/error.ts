/**
 * Why an archive is not read: `not_a_zip` (no archive at all, or cut off before its directory), `encrypted`,
 * `unsupported` (ZIP64, several disks, a method of compression other than deflate), `too_many_entries`, `too_large`
 * (unzipped, or for what it holds), `broken` (it contradicts itself).
 */
export type ZipErrorCode = 'not_a_zip' | 'encrypted' | 'unsupported' | 'too_many_entries' | 'too_large' | 'broken';

/** What is wrong with an archive, in words for whoever made it. */
export class ZipError extends Error {
  constructor(
    readonly code: ZipErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'ZipError';
  }
}
