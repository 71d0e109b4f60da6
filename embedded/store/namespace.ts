import { ServerError } from '../bson/error';

const MAX_NAMESPACE_BYTES = 255;
const MAX_DATABASE_BYTES = 63;

/** @throws ServerError 73 (InvalidNamespace) for names that MongoDB rejects */
export function checkNamespace(db: string, name: string): void {
  const invalid = (why: string): ServerError =>
    new ServerError('InvalidNamespace', `Invalid namespace specified '${db}.${name}': ${why}`);
  if (db === '' || Buffer.byteLength(db) > MAX_DATABASE_BYTES || /[/\\. "$\0]/.test(db))
    throw invalid('bad database name');
  if (name === '' || name.startsWith('.') || /[$\0]/.test(name)) throw invalid('bad collection name');
  if (name.startsWith('system.')) throw invalid('system collections are not supported');
  if (Buffer.byteLength(name) + Buffer.byteLength(db) + 1 > MAX_NAMESPACE_BYTES) throw invalid('too long');
}
