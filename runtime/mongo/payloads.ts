import type { Collection } from 'mongodb';
import { sha256 } from '../../lib/crypto';
import type { Json } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { notePreparedJson, preparedJson, prepareJson } from '../../lib/json/prepared';
import { insertBatchWriter } from './batch-writers';
import type { BigText, ExecutionDocument, PayloadDocument } from './documents';

/** Longer texts become payloads. */
const INLINE_LIMIT = 128 * 1024;

/** UTF-16 units per document: even at three bytes each, well below MongoDB's limit of 16 MiB. */
const MAX_CHUNK_CHARS = 4 * 1024 * 1024;

/** The upper six bits of a low surrogate, U+DC00 to U+DFFF. */
const LOW_SURROGATE = 0xdc00 >> 10;

const chunkId = (executionId: string, hash: string, part: number): string =>
  `${executionId}:${hash}:${String(part).padStart(4, '0')}`;

/** Stores a text in chunks. Ids are made of the content, so repeating it changes nothing. */
type PutPayload = (executionId: string, hash: string, json: string) => Promise<void>;

/** Texts that are put at the same time share commands. */
export function payloadWriter(payloads: Collection<PayloadDocument>): PutPayload {
  const chunks = insertBatchWriter(payloads, ({ json }) => json.length);
  return async (executionId, hash, json) => {
    const added = chunksOf(json).map((chunk, part) =>
      chunks.add({ _id: chunkId(executionId, hash, part), json: chunk }),
    );
    await Promise.all(added);
  };
}

/**
 * Splits a text into chunks. Surrogate pairs are not split: half of one has no UTF-8, and would be stored as U+FFFD.
 */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + MAX_CHUNK_CHARS;
    const parts = end < text.length && text.charCodeAt(end) >> 10 === LOW_SURROGATE;
    const chunk = text.slice(start, parts ? end - 1 : end);
    chunks.push(chunk);
    start += chunk.length;
  }
  return chunks;
}

/** The texts of those hashes that are stored. */
export async function getPayloads(
  payloads: Collection<PayloadDocument>,
  executionId: string,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const hash of new Set(hashes)) {
    const range = { $gte: `${executionId}:${hash}:`, $lt: `${executionId}:${hash};` };
    const chunks = await payloads.find({ _id: range }).sort({ _id: 1 }).toArray();
    if (chunks.length > 0) found.set(hash, chunks.map((chunk) => chunk.json).join(''));
  }
  return found;
}

/**
 * A value as a document member. A large one is stored as a payload first, so that the member never refers to nothing.
 */
export async function toBigText(put: PutPayload, executionId: string, value: Json): Promise<BigText> {
  const writing = prepareJson(value);
  if (writing !== null) await writing;
  const known = preparedJson(value);
  const json = known?.json ?? JSON.stringify(value);
  if (json.length <= INLINE_LIMIT) return { json };
  const ref = known?.hash ?? sha256(json);
  await put(executionId, ref, json);
  return { ref };
}

/** Fetches the payloads of a document; returns a reader for `executionFromDocument`. */
export async function bigReader(
  payloads: Collection<PayloadDocument>,
  document: Pick<ExecutionDocument, '_id' | 'trigger' | 'output' | 'response' | 'events'>,
): Promise<(text: BigText) => Json> {
  const { trigger, output, response, events = [] } = document;
  const refs = [trigger, output, response, ...events].flatMap((text) => ('ref' in text ? [text.ref] : []));
  const aside = refs.length === 0 ? new Map<string, string>() : await getPayloads(payloads, document._id, refs);
  const values = new Map<string, Json>();
  for (const [hash, json] of aside) {
    const value = await parseJsonSliced(json, NO_LIMITS);
    notePreparedJson(value, { json, hash });
    values.set(hash, value);
  }
  return (text) => {
    if ('json' in text) return JSON.parse(text.json) as Json;
    const value = values.get(text.ref);
    if (value === undefined) throw new Error(`A payload of execution ${document._id} is missing`);
    return value;
  };
}
