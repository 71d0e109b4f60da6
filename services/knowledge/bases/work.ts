import { isUnreachable } from '../../../lib/database';
import { ofTenant } from '../../../lib/tenant';
import { mapSliced } from '../../../lib/time-slices';
import { loadSearchableChunks } from '../ingest/chunks';
import { IngestError, toIngestError } from '../ingest/ingest-error';
import { putVectors } from '../ingest/vectors';
import { type BaseRecord, type DocumentRecord, type Reembedding, idsUnder } from '../models';
import type { KnowledgeDeps } from '../deps';
import { removeBase } from '../removal';
import { type Lease, LeaseLost } from '../../../mixins/leased-work/lease';
import { retryDecision, isPoison } from '../../../mixins/leased-work/retry-policy';

type BaseLease = Lease<BaseRecord>;

/** Processes a claimed base: removes it, or re-embeds its documents with a new model. */
export const processBase =
  (deps: KnowledgeDeps) =>
  async (lease: BaseLease): Promise<void> => {
    if (lease.record.state !== 'live') {
      const again = await removeBase(deps, lease.record);
      return again === null ? lease.abandon() : void (await lease.release({ state: again.state }, again.due));
    }
    try {
      if (isPoison(lease.record.attempts))
        throw new IngestError(
          'internal',
          'Re-embedding this base has crashed its process too often; choose another model, or remove the base',
        );
      await removeRetiredGeneration(deps, lease);
      if (lease.record.reembedding?.state === 'running') await reembed(deps, lease);
      await removeRetiredGeneration(deps, lease);
      await lease.release({ attempts: 0 }, null);
    } catch (thrown) {
      if (lease.signal.aborted || thrown instanceof LeaseLost || isUnreachable(thrown)) throw thrown;
      const fault = toIngestError(thrown);
      if (fault.code === 'internal') deps.warn(`Re-embedding of base ${lease.record._id} failed`, thrown);
      await recordFailure(deps, lease, fault);
    }
  };

/** Embeds every document into the new generation, including documents added meanwhile, then makes it the active one in one write. */
async function reembed(deps: KnowledgeDeps, lease: BaseLease): Promise<void> {
  for (let done = await countEmbeddedChunks(deps, lease.record); ; ) {
    const pending = await documentsToEmbed(deps, lease.record);
    if (pending.length === 0) break;
    for (const document of pending) done += await embedDocument(deps, lease, document, done);
  }
  const { generation: retired } = lease.record;
  const running = runningReembedding(lease.record);
  const now = new Date(deps.app.clock.now());
  // Documents may have been added or removed during the re-embedding.
  const all = await countEmbeddedChunks(deps, lease.record);
  await lease.write({
    embedding: running.embedding,
    generation: running.generation,
    retired,
    reembedding: { ...running, state: 'done', done: all, total: all, error: null, ended_at: now },
    updated_at: now,
  });
  // Documents that became ready after the last query are embedded by their own worker.
  for (const { _id } of await documentsToEmbed(deps, lease.record))
    await ofTenant(deps.models.documents, lease.record.tenant_id).update(
      { _id, owner: null },
      { $set: { due_at: now } },
    );
}

/** Documents without vectors in the new generation. */
async function documentsToEmbed({ models }: KnowledgeDeps, base: BaseRecord): Promise<Pick<DocumentRecord, '_id'>[]> {
  const { generation } = runningReembedding(base);
  const filter = { base_id: base._id, state: 'live' as const, revision: { $gt: 0 }, generations: { $ne: generation } };
  const found = ofTenant(models.documents, base.tenant_id).each(filter, { fields: ['_id'] });
  return mapSliced(found, base.tenant_id, ({ _id }) => ({ _id }));
}

/** Counts the chunks of documents that have vectors in the new generation. */
async function countEmbeddedChunks({ models }: KnowledgeDeps, base: BaseRecord): Promise<number> {
  const { generation } = runningReembedding(base);
  const embedded = { base_id: base._id, state: 'live', tenant_id: base.tenant_id, generations: generation };
  const sum = { $group: { _id: null, chunks: { $sum: '$cut.chunks' } } };
  const [found] = await models.documents.aggregate<{ chunks: number }>([{ $match: embedded }, sum]).exec();
  return found?.chunks ?? 0;
}

/** Embeds one document and returns its number of chunks. `before`: chunks embedded so far. */
async function embedDocument(
  deps: KnowledgeDeps,
  lease: BaseLease,
  { _id }: Pick<DocumentRecord, '_id'>,
  before: number,
): Promise<number> {
  const { models } = deps;
  const { tenant_id } = lease.record;
  const document = await ofTenant(models.documents, tenant_id).findOne({ _id, state: 'live' });
  if (document === null) return 0;
  const { revision } = document;
  const { generation: number, embedding, total } = runningReembedding(lease.record);
  const chunks = await loadSearchableChunks(models, document, revision);
  const writeProgress = (chunk: number) =>
    lease.write({ 'reembedding.done': Math.min(before + chunk, total), attempts: 0 });
  const progress = { signal: lease.signal, onEmbedded: async (chunk: number) => void (await writeProgress(chunk)) };
  await putVectors(deps, document, { revision, chunks }, { number, embedding }, progress);
  // Conditional on the revision: the ingest of a newer revision writes its own vectors.
  await ofTenant(models.documents, tenant_id).update({ _id, revision }, { $addToSet: { generations: number } });
  await ofTenant(models.embeddingBatches, tenant_id).remove({ _id: idsUnder(`${_id}:${revision}:${number}`) });
  await writeProgress(chunks.length);
  return chunks.length;
}

/** Removes the vectors of the retired generation. */
async function removeRetiredGeneration(deps: KnowledgeDeps, lease: BaseLease): Promise<void> {
  const { _id, tenant_id, retired } = lease.record;
  if (retired === null) return;
  await deps.vectors.removeGeneration({ tenantId: tenant_id, baseId: _id, generation: retired });
  await lease.write({ retired: null });
}

/** Schedules a retry, or marks the re-embedding as failed. The active generation stays in both cases. */
async function recordFailure({ app }: KnowledgeDeps, lease: BaseLease, fault: IngestError): Promise<void> {
  const { attempts, reembedding } = lease.record;
  const now = app.clock.now();
  const after = retryDecision(fault, attempts);
  const error = { code: fault.code, message: fault.message };
  if (after.kind === 'retry' || reembedding?.state !== 'running') {
    const errorField = reembedding?.state === 'running' ? { 'reembedding.error': error } : {};
    await lease.release(errorField, new Date(now + (after.kind === 'retry' ? after.afterMs : FAILURE_PAUSE_MS)));
    return;
  }
  const failed = { ...reembedding, state: 'failed' as const, error, ended_at: new Date(now) };
  await lease.release({ reembedding: failed, retired: reembedding.generation, attempts: 0 }, new Date(now));
}

const FAILURE_PAUSE_MS = 10 * 60_000;

function runningReembedding({ reembedding }: BaseRecord): Reembedding {
  if (reembedding === null) throw new Error('The base has no re-embedding');
  return reembedding;
}
