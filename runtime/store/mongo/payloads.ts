import type { Collection } from 'mongodb';
import { sha256 } from '../../../lib/crypto';
import type { Json } from '../../../lib/json';
import { isDuplicate } from './collections';
import type { BigText, ExecutionDocument, PayloadDocument } from './documents';

/** Texts longer than this leave their record for `payloads`. */
export const INLINE_LIMIT = 128 * 1024;

/** UTF-16 units in one document: even at three bytes each, well under MongoDB's 16 MiB. */
const CHUNK = 4 * 1024 * 1024;

/** The upper six bits of a low surrogate, U+DC00 to U+DFFF. */
const LOW_SURROGATE = 0xdc00 >> 10;

const chunkId = (executionId: string, hash: string, part: number): string =>
  `${executionId}:${hash}:${String(part).padStart(4, '0')}`;

/** Stores a text in chunks. Ids are made of the content, so repeating it changes nothing. */
export async function putPayload(
  payloads: Collection<PayloadDocument>,
  executionId: string,
  hash: string,
  json: string,
): Promise<void> {
  for (const [part, chunk] of chunksOf(json).entries()) {
    try {
      await payloads.insertOne({ _id: chunkId(executionId, hash, part), json: chunk });
    } catch (fault) {
      if (!isDuplicate(fault)) throw fault;
    }
  }
}

/** The text in pieces. A pair of surrogates is never parted: half of one has no UTF-8, and would be stored as U+FFFD. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + CHUNK;
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

/** A value as a document member; a big one is stored aside first, so that the member never refers to nothing. */
export async function toBigText(
  payloads: Collection<PayloadDocument>,
  executionId: string,
  value: Json,
): Promise<BigText> {
  const json = JSON.stringify(value);
  if (json.length <= INLINE_LIMIT) return { json };
  const ref = sha256(json);
  await putPayload(payloads, executionId, ref, json);
  return { ref };
}

/** Fetches what a document keeps aside; answers a reader for `executionFromDocument`. */
export async function bigReader(
  payloads: Collection<PayloadDocument>,
  document: Pick<ExecutionDocument, '_id' | 'trigger' | 'output' | 'response'>,
): Promise<(text: BigText) => Json> {
  const { trigger, output, response } = document;
  const refs = [trigger, output, response].flatMap((text) => ('ref' in text ? [text.ref] : []));
  const aside = refs.length === 0 ? new Map<string, string>() : await getPayloads(payloads, document._id, refs);
  return (text) => {
    const json = 'ref' in text ? aside.get(text.ref) : text.json;
    if (json === undefined) throw new Error(`A payload of execution ${document._id} is missing`);
    return JSON.parse(json) as Json;
  };
}
