import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BSON, type Db, type Document, type IndexDirection } from 'mongodb';

/** The definition of a dumped collection. */
interface CollectionHeader {
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly Document[];
  readonly documents: number;
}

/** Receives a progress line after each collection, and during large ones. */
export type Progress = (line: string) => void;

const REPORT_EVERY = 10_000;
const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Dumps every collection of a database into a folder: `NNNN.bson` with the documents as stored, and `NNNN.json` with
 * name, options and indexes as extended JSON.
 * @returns the number of documents
 */
export async function dumpDatabase(db: Db, dir: string, progress: Progress): Promise<number> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new Error(`the folder ${dir} is not empty`);
  const found = await db.listCollections().toArray();
  const collections = found.filter(({ name, type }) => type === 'collection' && !name.startsWith('system.'));
  let total = 0;
  for (const [i, info] of collections.entries()) {
    const file = join(dir, String(i).padStart(4, '0'));
    const { name } = info;
    const indexes = await db.collection(name).indexes();
    const documents = await dumpDocuments(db, name, `${file}.bson`, progress);
    const options = 'options' in info ? (info.options ?? {}) : {};
    const header: CollectionHeader = { name, options, indexes, documents };
    await writeFile(`${file}.json`, BSON.EJSON.stringify(header, { relaxed: false }, 2), { mode: 0o600 });
    progress(`${name}: ${documents} documents, ${indexes.length} indexes`);
    total += documents;
  }
  return total;
}

async function dumpDocuments(db: Db, name: string, path: string, progress: Progress): Promise<number> {
  let written = 0;
  async function* rows(): AsyncGenerator<Uint8Array> {
    // With `raw` the driver passes the stored bytes, so no type is lost.
    for await (const bytes of db.collection(name).find({}, { raw: true })) {
      yield bytes as unknown as Uint8Array;
      if (++written % REPORT_EVERY === 0) progress(`${name}: ${written} documents`);
    }
  }
  await pipeline(rows, createWriteStream(path, { mode: 0o600 }));
  return written;
}

/**
 * Loads such a dump into a database: documents first, then indexes, which is faster and still checks uniqueness.
 * @throws Error when a collection of the dump already has documents: nothing is overwritten
 */
export async function loadDatabase(db: Db, dir: string, progress: Progress): Promise<number> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.json')).sort();
  if (files.length === 0) throw new Error(`there is no dump in ${dir}`);
  const headers: [string, CollectionHeader][] = [];
  for (const file of files) {
    const header = BSON.EJSON.parse(await readFile(join(dir, file), 'utf8')) as CollectionHeader;
    if ((await db.collection(header.name).findOne({}, { projection: { _id: 1 } })) !== null)
      throw new Error(`the collection ${header.name} has documents already`);
    headers.push([file, header]);
  }
  let total = 0;
  for (const [file, header] of headers) {
    total += await loadCollection(db, join(dir, file.replace(/json$/, 'bson')), header, progress);
  }
  return total;
}

async function loadCollection(db: Db, path: string, header: CollectionHeader, progress: Progress): Promise<number> {
  const { name, options, indexes, documents } = header;
  const present = await db.listCollections({ name }, { nameOnly: true }).hasNext();
  if (!present) await db.createCollection(name, options);
  let loaded = 0;
  for await (const batch of batches(path)) {
    await db.command({ insert: name, documents: batch, ordered: true }).then(refuseWriteErrors);
    loaded += batch.length;
    if (loaded % REPORT_EVERY < batch.length) progress(`${name}: ${loaded} of ${documents} documents`);
  }
  if (loaded !== documents) throw new Error(`${path} holds ${loaded} documents where ${documents} were dumped`);
  for (const { key, v: _version, ns: _namespace, ...rest } of indexes) {
    if (rest.name !== '_id_') await db.collection(name).createIndex(key as Record<string, IndexDirection>, rest);
  }
  progress(`${name}: ${loaded} documents, ${indexes.length} indexes`);
  return loaded;
}

function refuseWriteErrors({ writeErrors }: Document): void {
  if (Array.isArray(writeErrors) && writeErrors.length > 0)
    throw new Error(`a document was refused: ${writeErrors[0].errmsg}`);
}

/** Documents of a BSON file, decoded without type conversions. */
async function* batches(path: string): AsyncGenerator<Document[]> {
  let rest: Buffer = Buffer.alloc(0);
  let batch: Document[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    while (rest.length - at >= 4 && rest.length - at >= rest.readInt32LE(at)) {
      const size = rest.readInt32LE(at);
      batch.push(BSON.deserialize(rest.subarray(at, at + size), EXACT));
      at += size;
      bytes += size;
      if (batch.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES) {
        yield batch;
        batch = [];
        bytes = 0;
      }
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new Error(`${path} ends in the middle of a document`);
  if (batch.length > 0) yield batch;
}

const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
