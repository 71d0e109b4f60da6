import { randomBytes } from 'node:crypto';
import { Binary, type Doc, type Value } from '../bson/value';
import { type Index, indexOf } from './index-spec';

/** A collection in memory. */
export interface Collection {
  readonly id: number;
  db: string;
  name: string;
  /** As given to `create` and `collMod`, for listCollections. */
  options: Doc;
  readonly uuid: Binary;
  /** The first one is always the _id index. */
  indexes: Index[];
  /** The next record id. Ids grow, so record order is insertion order. */
  nextRecord: number;
  count: number;
  /** Sum of the documents' sizes in bytes. */
  bytes: number;
  /** Running operations that change many of its documents in several slices. */
  changing: number;
}

/** The catalogue record of a collection; its counters are stored separately. */
export function writeCollection({ id, db, name, options, uuid, indexes }: Collection): Doc {
  return new Map<string, Value>([
    ['id', id],
    ['db', db],
    ['name', name],
    ['options', options],
    ['uuid', uuid],
    ['indexes', indexes.map(writeIndex)],
  ]);
}

const writeIndex = ({ id, spec, multikey, shortened, builtTo }: Index): Doc =>
  new Map<string, Value>([
    ['id', id],
    ['spec', spec],
    ['multikey', multikey],
    ['shortened', shortened],
    ['builtTo', builtTo === null ? null : BigInt(builtTo)],
  ]);

/** The collection of a stored record, its counters still at zero. */
export function readCollection(stored: Doc): Collection {
  return {
    id: stored.get('id') as number,
    db: stored.get('db') as string,
    name: stored.get('name') as string,
    options: stored.get('options') as Doc,
    uuid: stored.get('uuid') as Binary,
    indexes: (stored.get('indexes') as Doc[]).map(readIndex),
    nextRecord: 1,
    count: 0,
    bytes: 0,
    changing: 0,
  };
}

function readIndex(stored: Doc): Index {
  const index = indexOf(stored.get('id') as number, stored.get('spec') as Doc);
  const builtTo = stored.get('builtTo');
  index.multikey = stored.get('multikey') as boolean[];
  index.shortened = stored.get('shortened') as boolean;
  index.builtTo = typeof builtTo === 'bigint' ? Number(builtTo) : null;
  return index;
}

/** A random UUID (version 4) as BSON binary. */
export function randomUuid(): Binary {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return new Binary(bytes, 4);
}
