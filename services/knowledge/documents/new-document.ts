import { sha256 } from '../../../lib/crypto';
import { parseDuration } from '../../../lib/duration';
import { AppError } from '../../../lib/errors';
import { type Json, type JsonObject, jsonSize } from '../../../lib/json';
import {
  type BaseRecord,
  type Content,
  type DocumentRecord,
  FIRST_REVISION,
  type Source,
  type UrlSource,
} from '../models';

const MIN_REFRESH_MS = 5 * 60_000;
const MAX_URL_CHARS = 8_192;
const MAX_NAME_CHARS = 300;
const MAX_METADATA_CHARS = 16 * 1024;
const MAX_METADATA_DEPTH = 5;
const MAX_KEY_CHARS = 100;

/** Fields from which the record of a new document is built. */
export interface DocumentInput {
  readonly id: string;
  readonly base: BaseRecord;
  readonly name: string;
  readonly key: string | null;
  readonly source: Source;
  /** Null if the content is still to be fetched from a URL. */
  readonly content: Content | null;
  readonly metadata: JsonObject;
}

/** Builds the record of a queued document. Pure. */
export function newDocumentRecord(given: DocumentInput, now: Date): Omit<DocumentRecord, 'tenant_id'> {
  const { id, base, name, key, source, content, metadata } = given;
  const revision = FIRST_REVISION;
  return {
    _id: id,
    base_id: base._id,
    name: name.slice(0, MAX_NAME_CHARS),
    state: 'live',
    identity: identityOf(source, content, base),
    key,
    source,
    status: 'queued',
    progress: null,
    error: null,
    metadata,
    revision: 0,
    shown: [],
    last_revision: revision,
    content: null,
    cut: null,
    next: { revision, chunking: base.chunking, content, cut: null },
    generations: [],
    leftovers: false,
    bytes: content?.size ?? 0,
    due_at: now,
    owner: null,
    attempts: 0,
    created_at: now,
    updated_at: now,
  };
}

/** Deduplication key in a base: the URL, or the content hash with the chunk sizes. */
function identityOf(source: Source, content: Content | null, { chunking }: BaseRecord): string {
  if (source.kind === 'url') return `url:${sha256(source.url)}`;
  return `content:${content?.hash}:${chunking.max_tokens}:${chunking.overlap_tokens}`;
}

/** Parses a URL and its refresh interval. Pure. @throws AppError invalid_request */
export function urlSource(text: string, refresh: string | undefined): UrlSource {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) throw invalid('url', 'is not a valid URL');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw invalid('url', 'must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw invalid('url', 'must not contain a user or a password: everyone who can read the document would see it');
  const refresh_ms = refresh === undefined ? null : parseDuration(refresh);
  if (refresh !== undefined && (refresh_ms === null || refresh_ms < MIN_REFRESH_MS))
    throw invalid('refresh', 'must be a duration of 5 minutes at least, such as 1h or 1d');
  // A fragment is never sent to the server.
  url.hash = '';
  const unchecked = {
    etag: null,
    last_modified: null,
    checked_at: null,
    next_check_at: null,
    failures: 0,
    failure: null,
  };
  return { kind: 'url', url: url.href, refresh: refresh ?? null, refresh_ms, ...unchecked };
}

/** Returns the metadata if filters can address all of its keys and it is small enough. Pure. @throws AppError invalid_request */
export function validateMetadata(metadata: JsonObject): JsonObject {
  if (jsonSize(metadata, MAX_METADATA_CHARS) > MAX_METADATA_CHARS)
    throw invalid('metadata', `has at most ${MAX_METADATA_CHARS} characters`);
  assertMetadataKeys(metadata, 'metadata', 1);
  return metadata;
}

function assertMetadataKeys(value: Json, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_METADATA_DEPTH) throw invalid('metadata', `nests at most ${MAX_METADATA_DEPTH} levels`);
  const members: [string, Json][] = Array.isArray(value)
    ? value.map((member, at): [string, Json] => [String(at), member])
    : Object.entries(value);
  for (const [key, member] of members) {
    if (!Array.isArray(value) && !isMetadataKey(key))
      throw invalid(
        path,
        `has a key that filters cannot address: keys have 1 to ${MAX_KEY_CHARS} characters, no dot, and no $ at the beginning`,
      );
    assertMetadataKeys(member, `${path}.${key}`, depth + 1);
  }
}

const isMetadataKey = (key: string): boolean =>
  key !== '' && key.length <= MAX_KEY_CHARS && key !== '__proto__' && !/^\$|[.\0]/.test(key);

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The '${path}' ${message}`, { details: [{ path, message }] });

/** Name of a document sent as text without a name: its first line. */
export const defaultName = (text: string): string => {
  const line = /\S.*/.exec(text.slice(0, 10_000))?.[0].replace(/^#+\s*/, '') ?? '';
  return line.slice(0, 80).trim() || 'Untitled';
};
