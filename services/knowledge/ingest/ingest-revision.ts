/**
 * Ingests a revision. Every step is idempotent, and the record says which steps are done:
 *
 *  I1  Order: store the content, then chunks, then vectors and words. One last write makes the revision the searchable
 *      one; the previous revision is searchable until then.
 *  I2  A revision number is recorded before anything is stored under it, so it is never used for two contents.
 *  I3  Vector stores drop the previous revision when they receive the next one. From then on the ingest is retried
 *      without a limit, because it cannot be rolled back.
 *  I4  Only the holder of the lease stores anything or sends requests.
 */
import { sha256 } from '../../../lib/crypto';
import { ofTenant } from '../../../lib/tenant';
import type { ParseRequest } from '../../../lib/documents/contract';
import type { BaseRecord, Content, ChunkSummary, DocumentRecord, NextRevision } from '../models';
import { contentId } from '../models';
import type { KnowledgeDeps } from '../deps';
import { HASHED_DIMENSION } from '../../../lib/search/hashed-vectors';
import type { Lease } from '../../../mixins/leased-work/lease';
import { summarizeChunks, loadSearchableChunks, writeChunks } from './chunks';
import { IngestError } from './ingest-error';
import type { FetchResult } from './fetch-content';
import { afterCheck } from './url-checks';
import { generationsOf, activeGeneration } from './task';
import { putVectors } from './vectors';

type DocumentLease = Lease<DocumentRecord>;

/** Texts up to this size are ingested within the request that adds them. */
export const SHORT_TEXT_BYTES = 64 * 1024;
/** Texts up to this size are chunked in this thread, which takes a few milliseconds at most. */
const INLINE_TEXT_BYTES = 4 * 1024;
const FLOAT_BYTES = 4;

/** Stores fetched content as the content of the next revision. */
export async function storeFetchedContent(
  { contents, quota }: KnowledgeDeps,
  lease: DocumentLease,
  fetched: Extract<FetchResult, { kind: 'content' }>,
  chunking: BaseRecord['chunking'],
): Promise<void> {
  const revision = lease.record.last_revision + 1;
  const { body, contentType, url, etag, lastModified } = fetched;
  const isFirst = lease.record.revision === 0;
  const growth = isFirst ? body.length - lease.record.bytes : 0;
  await quota.assertRoom(lease.record.tenant_id, growth);
  // `leftovers`: a crash after this write leaves parts that nothing references.
  const { _id, tenant_id, source } = await lease.write({ last_revision: revision, leftovers: true });
  const id = contentId(_id, revision);
  const content: Content = { id, size: body.length, hash: sha256(body), content_type: contentType, url };
  await contents.write(tenant_id, id, body);
  const next: NextRevision = { revision, chunking, content, cut: null };
  const validated = { ...source, etag, last_modified: lastModified };
  const started = { next, source: validated, status: 'parsing' as const, progress: null, error: null, attempts: 0 };
  await lease.write({ ...started, ...(isFirst ? { bytes: content.size } : {}) });
  quota.recordGrowth(tenant_id, growth);
}

/** Ingests the next revision, starting at its first step that is not done. @throws IngestError, and errors of the stores */
export async function ingestRevision(deps: KnowledgeDeps, lease: DocumentLease, base: BaseRecord): Promise<void> {
  const cut = lease.record.next?.cut ?? (await parseAndChunk(deps, lease, base));
  const next = pendingRevision(lease.record);
  const chunks = await loadSearchableChunks(deps.models, lease.record, next.revision);
  const generations: number[] = [];
  const namespace = { tenantId: base.tenant_id, baseId: base._id };
  let current = base;
  while (!generations.includes(current.generation)) {
    const active = activeGeneration(current);
    await putVectors(deps, lease.record, { revision: next.revision, chunks }, active, vectorProgress(lease, cut, next));
    generations.push(active.number);
    // A re-embedding may have changed the active generation, or the dimension may have become known.
    current = (await reloadBase(deps, base)) ?? current;
  }
  lease.signal.throwIfAborted();
  await deps.words.publishChanges(namespace, [lease.record._id]);
  const bytes = bytesOfRevision(current, next.content, cut);
  const before = lease.record.bytes;
  await lease.write({
    ...publishedFields(lease.record, next, cut, new Date(deps.app.clock.now())),
    generations,
    // Batches of a model's vectors are stored until the clean-up.
    leftovers: next.revision > 1 || generationsOf(current).some(({ embedding }) => embedding !== null),
    bytes,
  });
  deps.quota.recordGrowth(base.tenant_id, bytes - before);
  deps.app.metrics.knowledgeDocuments.add(1, 'ready');
}

/** Reads the base again; null if it was removed. */
const reloadBase = ({ models }: KnowledgeDeps, { _id, tenant_id }: BaseRecord): Promise<BaseRecord | null> =>
  ofTenant(models.bases, tenant_id).findOne({ _id });

/** Fields to set when the next revision becomes the searchable one. Pure. */
function publishedFields(record: DocumentRecord, next: NextRevision, cut: ChunkSummary, now: Date) {
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
    source: source.kind === 'url' ? afterCheck(source, now) : source,
    updated_at: now,
  };
}

async function parseAndChunk(deps: KnowledgeDeps, lease: DocumentLease, base: BaseRecord): Promise<ChunkSummary> {
  const next = pendingRevision(lease.record);
  if (!isShortText(lease.record.source, next.content)) await lease.write({ status: 'parsing' });
  const bytes = await deps.contents.read(base.tenant_id, next.content.id, next.content.size);
  const parsed = await parse(deps, lease, bytes, next);
  const cut = summarizeChunks(parsed);
  await deps.quota.assertRoom(base.tenant_id, bytesOfRevision(base, next.content, cut) - lease.record.bytes);
  await writeChunks(deps.models, lease.record, next.revision, parsed.chunks);
  const progress = { done: 0, total: cut.chunks };
  await lease.write({ next: { ...next, cut }, status: 'embedding', progress, attempts: 0 });
  return cut;
}

const isShortText = (source: DocumentRecord['source'], { size }: Content): boolean =>
  source.kind === 'text' && size <= SHORT_TEXT_BYTES;

/** Bytes that count against the plan. Pure. */
function bytesOfRevision({ embedding }: BaseRecord, content: Content, cut: ChunkSummary): number {
  const dimension = embedding === null ? HASHED_DIMENSION : (embedding.dimension ?? 0);
  return content.size + cut.bytes + cut.chunks * dimension * FLOAT_BYTES;
}

async function parse(
  deps: KnowledgeDeps,
  lease: DocumentLease,
  bytes: Buffer,
  { content, chunking }: NextRevision & { content: Content },
) {
  const { source } = lease.record;
  const options = { maxTokens: chunking.max_tokens, overlapTokens: chunking.overlap_tokens };
  if (source.kind === 'text' && content.size <= INLINE_TEXT_BYTES) {
    const chunks = deps.parsers.chunkText(bytes.toString(), options);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    if (chunks.length === 0) throw new IngestError('no_text', 'The text is empty');
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
  const parsed = await deps.parsers.parse(request, lease.signal, () => {
    // Only for clients that poll the status; a failed write has no effect on the ingest.
    if (!isShortText(source, content)) void lease.write({ status: 'chunking' }).catch(() => undefined);
  });
  lease.signal.throwIfAborted();
  if (parsed.kind === 'failed') throw new IngestError(parsed.code, parsed.message);
  return parsed;
}

const vectorProgress = (lease: DocumentLease, cut: ChunkSummary, next: NextRevision) => ({
  signal: lease.signal,
  async onBeforePut(): Promise<void> {
    const { revision } = lease.record;
    // The store drops the old revision when it receives the new one, so both are visible from here on.
    if (revision > 0) await lease.write({ shown: [revision, next.revision] });
  },
  async onEmbedded(chunks: number): Promise<void> {
    await lease.write({ progress: { done: chunks, total: cut.chunks }, attempts: 0 });
  },
});

function pendingRevision({ next }: DocumentRecord): NextRevision & { content: Content } {
  if (next === null || next.content === null) throw new Error('The document has no next revision with a content');
  return { ...next, content: next.content };
}
