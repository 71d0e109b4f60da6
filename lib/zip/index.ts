export { ZipError, type ZipErrorCode } from './error';
export { readZip, type ZipEntry, type ZipLimits } from './read';
