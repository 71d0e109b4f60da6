/** The first bytes of every row of a collection (or an index): its id. */
export function collectionPrefix(id: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(id);
  return prefix;
}

/** The record id in the last six bytes of a document's or a non-unique index entry's key. */
export const recordIdAtEnd = (key: Uint8Array): number => Buffer.prototype.readUIntBE.call(key, key.length - 6, 6);

/** A record id as the value of a unique index entry. */
export function recordIdBytes(recordId: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(recordId, 0, 6);
  return bytes;
}
