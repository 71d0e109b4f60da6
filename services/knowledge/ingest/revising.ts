/**
 * How a revision comes to be. Each step is made of writes that may be repeated, and the record says which are done:
 *
 *  I1  The content is whole before the record names it; then its chunks; then their vectors and words; then, in one
 *      write, the document is this revision. What was searched before is searched until then.
 *  I2  A number of a revision is never used for two contents: it is on record before anything is stored under it.
 *  I3  Once the stores may have it there is no way back to the one before, which they take no more: it is tried until it
 *      is there.
 *  I4  Only the holder of the lease stores anything or sends requests.
 */
import { sha256 } from '../../../lib/crypto';
import { ofTenant } from '../../../lib/tenant';
import type { ParseRequest } from '../../../lib/documents/contract';
import type { BaseRecord, Content, ChunkSummary, DocumentRecord, NextRevision } from '../models';
import { contentId } from '../models';
import type { KnowledgeParts } from '../parts';
import { HASHED_DIMENSION } from '../../../lib/search/hashed-vectors';
import type { Lease } from '../work/lease';
import { chunkSummaryOf, searchedChunks, writeChunks } from './chunks';
import { IngestFault } from './fault';
import type { Fetched } from './fetching';
import { checked } from './checking';
import { generationsOf, searchedOf } from './task';
import { putVectors } from './vectors';

type DocumentLease = Lease<DocumentRecord>;

/** A text as short as this is taken in at once, with the request that brings it. */
export const SHORT_TEXT_BYTES = 64 * 1024;
/** Cut in this thread: the worst of such texts takes some milliseconds. */
const INLINE_TEXT_BYTES = 4 * 1024;
const FLOAT_BYTES = 4;

/** Stores fetched content as the content of the next revision. */
export async function takeContent(
  { contents, quota }: KnowledgeParts,
  lease: DocumentLease,
  fetched: Extract<Fetched, { kind: 'content' }>,
  chunking: BaseRecord['chunking'],
): Promise<void> {
  const revision = lease.record.last_revision + 1;
  const { body, contentType, url, etag, lastModified } = fetched;
  const isFirst = lease.record.revision === 0;
  const growth = isFirst ? body.length - lease.record.bytes : 0;
  await quota.assert(lease.record.tenant_id, growth);
  // A crash in between leaves parts that nothing references.
  const { _id, tenant_id, source } = await lease.write({ last_revision: revision, leftovers: true });
  const id = contentId(_id, revision);
  const content: Content = { id, size: body.length, hash: sha256(body), content_type: contentType, url };
  await contents.write(tenant_id, id, body);
  const next: NextRevision = { revision, chunking, content, cut: null };
  const known = { ...source, etag, last_modified: lastModified };
  const begun = { next, source: known, status: 'parsing' as const, progress: null, error: null, attempts: 0 };
  await lease.write({ ...begun, ...(isFirst ? { bytes: content.size } : {}) });
  quota.grown(tenant_id, growth);
}

/** Continues the next revision from its completed steps. @throws IngestFault, and errors of the stores */
export async function revise(parts: KnowledgeParts, lease: DocumentLease, base: BaseRecord): Promise<void> {
  const cut = lease.record.next?.cut ?? (await cutContent(parts, lease, base));
  const next = nextOf(lease.record);
  const chunks = await searchedChunks(parts.models, lease.record, next.revision);
  const generations: number[] = [];
  const space = { tenantId: base.tenant_id, baseId: base._id };
  let seen = base;
  while (!generations.includes(seen.generation)) {
    const searched = searchedOf(seen);
    await putVectors(parts, lease.record, { revision: next.revision, chunks }, searched, progressOf(lease, cut, next));
    generations.push(searched.number);
    // Those of another model may be searched meanwhile, or the length of its vectors be known.
    seen = (await currentOf(parts, base)) ?? seen;
  }
  lease.signal.throwIfAborted();
  await parts.words.changed(space, [lease.record._id]);
  const bytes = bytesOfRevision(seen, next.content, cut);
  const before = lease.record.bytes;
  await lease.write({
    ...published(lease.record, next, cut, new Date(parts.app.clock.now())),
    generations,
    // A model's vectors were stored as they were paid for.
    leftovers: next.revision > 1 || generationsOf(seen).some(({ embedding }) => embedding !== null),
    bytes,
  });
  parts.quota.grown(base.tenant_id, bytes - before);
  parts.app.metrics.knowledgeDocuments.add(1, 'ready');
}

/** The current record of the base. */
const currentOf = ({ models }: KnowledgeParts, { _id, tenant_id }: BaseRecord): Promise<BaseRecord | null> =>
  ofTenant(models.bases, tenant_id).findOne({ _id });

/** The fields of a document whose next revision becomes searchable. Pure. */
function published(record: DocumentRecord, next: NextRevision, cut: ChunkSummary, now: Date) {
  const { source } = record;
  const isNamed = source.kind !== 'url' || record.name !== source.url || cut.title === null;
  return {
    name: isNamed ? record.name : (cut.title as string),
    status: 'ready' as const,
    progress: null,
    error: null,
    attempts: 0,
    revision: next.revision,
    shown: [next.revision],
    content: next.content,
    cut,
    next: null,
    source: source.kind === 'url' ? checked(source, now) : source,
    updated_at: now,
  };
}

async function cutContent(parts: KnowledgeParts, lease: DocumentLease, base: BaseRecord): Promise<ChunkSummary> {
  const next = nextOf(lease.record);
  if (!isShort(lease.record.source, next.content)) await lease.write({ status: 'parsing' });
  const bytes = await parts.contents.read(base.tenant_id, next.content.id, next.content.size);
  const parsed = await parse(parts, lease, bytes, next);
  const cut = chunkSummaryOf(parsed);
  await parts.quota.assert(base.tenant_id, bytesOfRevision(base, next.content, cut) - lease.record.bytes);
  await writeChunks(parts.models, lease.record, next.revision, parsed.chunks);
  const progress = { done: 0, total: cut.chunks };
  await lease.write({ next: { ...next, cut }, status: 'embedding', progress, attempts: 0 });
  return cut;
}

const isShort = (source: DocumentRecord['source'], { size }: Content): boolean =>
  source.kind === 'text' && size <= SHORT_TEXT_BYTES;

/** Bytes that count for the storage quota. Pure. */
function bytesOfRevision({ embedding }: BaseRecord, content: Content, cut: ChunkSummary): number {
  const dimension = embedding === null ? HASHED_DIMENSION : (embedding.dimension ?? 0);
  return content.size + cut.bytes + cut.chunks * dimension * FLOAT_BYTES;
}

async function parse(
  parts: KnowledgeParts,
  lease: DocumentLease,
  bytes: Buffer,
  { content, chunking }: NextRevision & { content: Content },
) {
  const { source } = lease.record;
  const options = { maxTokens: chunking.max_tokens, overlapTokens: chunking.overlap_tokens };
  if (source.kind === 'text' && content.size <= INLINE_TEXT_BYTES) {
    const chunks = parts.parsers.chunkText(bytes.toString(), options);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    if (chunks.length === 0) throw new IngestFault('no_text', 'The text is empty');
    return {
      kind: 'parsed' as const,
      title: null,
      contentType: 'text/plain',
      pages: null,
      chunks,
      tokens,
      warnings: [],
    };
  }
  const request: ParseRequest = {
    content: bytes,
    filename: source.kind === 'upload' ? source.filename : null,
    contentType: content.content_type,
    url: content.url,
    chunking: options,
    sentAsText: source.kind === 'text',
  };
  const parsed = await parts.parsers.parse(request, lease.signal, () => {
    // For clients that watch the status; the steps after it write it themselves.
    if (!isShort(source, content)) void lease.write({ status: 'chunking' }).catch(() => undefined);
  });
  lease.signal.throwIfAborted();
  if (parsed.kind === 'failed') throw new IngestFault(parsed.code, parsed.message);
  return parsed;
}

const progressOf = (lease: DocumentLease, cut: ChunkSummary, next: NextRevision) => ({
  signal: lease.signal,
  async putting(): Promise<void> {
    const { revision } = lease.record;
    // From the first vector on the stores have the new revision, and no more the old one.
    if (revision > 0) await lease.write({ shown: [revision, next.revision] });
  },
  async done(chunks: number): Promise<void> {
    await lease.write({ progress: { done: chunks, total: cut.chunks }, attempts: 0 });
  },
});

function nextOf({ next }: DocumentRecord): NextRevision & { content: Content } {
  if (next === null || next.content === null) throw new Error('No revision is on its way that has a content');
  return { ...next, content: next.content };
}
