import { encode } from '../bson/encode';
import type { ServerError } from '../bson/error';
import { type Doc, double, type Value } from '../bson/value';
import { TYPE } from '../bson/wire';

/** A reply body: decoded for small ones, bytes for documents that are passed through. */
export type Reply = Doc | Buffer;

const OK: Value = double(1);

/** A document with these members, in order, without undefined ones. */
export function members(values: Record<string, Value | undefined>): Doc {
  const document: Doc = new Map();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) document.set(name, value);
  return document;
}

/** A successful reply. */
export const ok = (values: Record<string, Value | undefined> = {}): Doc => members(values).set('ok', OK);

/** The reply of a failed command. */
export function errorReply(error: ServerError, labels: readonly string[] = []): Doc {
  const reply = members({ ok: double(0), errmsg: error.message, code: error.code, codeName: error.codeName });
  for (const [name, value] of Object.entries(error.details ?? {})) reply.set(name, value as Value);
  if (labels.length > 0) reply.set('errorLabels', [...labels]);
  return reply;
}

export const replyBytes = (reply: Reply): Buffer => (Buffer.isBuffer(reply) ? reply : encode(reply));

const KEYS = Array.from({ length: 128 }, (_, i) => Buffer.from(`${i}\0`));
const FIRST = Buffer.from('\x04firstBatch\0', 'latin1');
const NEXT = Buffer.from('\x04nextBatch\0', 'latin1');
const CURSOR = Buffer.from('\x03cursor\0', 'latin1');
const ID = Buffer.from('\x12id\0', 'latin1');
const NS = Buffer.from('\x02ns\0', 'latin1');
const OK_TRUE = Buffer.concat([Buffer.from('\x01ok\0', 'latin1'), doubleBytes(1), Buffer.of(0)]);

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/**
 * `{cursor: {firstBatch | nextBatch: [...], id, ns}, ok: 1}` around documents as they are stored. The id is an int64 on
 * the wire whatever its size: drivers rely on that.
 */
export function cursorReply(
  kind: 'first' | 'next',
  documents: readonly Uint8Array[],
  id: bigint,
  namespace: string,
): Buffer {
  const label = kind === 'first' ? FIRST : NEXT;
  let array = 5;
  for (let i = 0; i < documents.length; i++) array += 1 + keyOf(i).length + (documents[i] as Uint8Array).length;
  const ns = Buffer.from(namespace, 'utf8');
  const cursor = 4 + label.length + array + ID.length + 8 + NS.length + 4 + ns.length + 1 + 1;
  const out = Buffer.allocUnsafe(4 + CURSOR.length + cursor + OK_TRUE.length);
  let at = out.writeInt32LE(out.length, 0);
  const put = (bytes: Uint8Array): void => {
    out.set(bytes, at);
    at += bytes.length;
  };
  put(CURSOR);
  at = out.writeInt32LE(cursor, at);
  put(label);
  at = out.writeInt32LE(array, at);
  for (let i = 0; i < documents.length; i++) {
    out[at++] = TYPE.object;
    put(keyOf(i));
    put(documents[i] as Uint8Array);
  }
  out[at++] = 0;
  put(ID);
  at = out.writeBigInt64LE(id, at);
  put(NS);
  at = out.writeInt32LE(ns.length + 1, at);
  put(ns);
  out[at++] = 0;
  out[at++] = 0;
  put(OK_TRUE);
  return out;
}

const keyOf = (i: number): Buffer => KEYS[i] ?? Buffer.from(`${i}\0`);

const VALUE = Buffer.from('value\0', 'latin1');

/** `{lastErrorObject, value, ok: 1}` around a document as it is stored, or null. */
export function valueReply(lastError: Doc, value: Uint8Array | null): Buffer {
  const head = encode(new Map([['lastErrorObject', lastError]]));
  const inner = head.subarray(4, head.length - 1);
  const out = Buffer.allocUnsafe(4 + inner.length + 1 + VALUE.length + (value?.length ?? 0) + OK_TRUE.length);
  out.writeInt32LE(out.length, 0);
  out.set(inner, 4);
  let at = 4 + inner.length;
  out[at++] = value === null ? TYPE.null : TYPE.object;
  out.set(VALUE, at);
  at += VALUE.length;
  if (value !== null) out.set(value, at);
  out.set(OK_TRUE, at + (value?.length ?? 0));
  return out;
}
