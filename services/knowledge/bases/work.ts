import { isUnreachable } from '../../../lib/database';
import { ofTenant } from '../../../lib/tenant';
import { searchedChunks } from '../ingest/chunks';
import { IngestFault, ingestFault } from '../ingest/fault';
import { putVectors } from '../ingest/vectors';
import { type BaseRecord, type DocumentRecord, type Reembedding, under } from '../models';
import type { KnowledgeParts } from '../parts';
import { removeBase } from '../removal';
import { type Lease, LeaseLost } from '../work/lease';
import { afterFailure, isPoison } from '../work/retry-policy';

type BaseLease = Lease<BaseRecord>;

/** Work on bases: one that is removed, or gets the vectors of another model. */
export const baseWork =
  (parts: KnowledgeParts) =>
  async (lease: BaseLease): Promise<void> => {
    if (lease.record.state !== 'live') {
      const again = await removeBase(parts, lease.record);
      return again === null ? lease.drop() : void (await lease.end({ state: again.state }, again.due));
    }
    try {
      if (isPoison(lease.record.attempts))
        throw new IngestFault(
          'internal',
          'Making the vectors of this base has crashed its process too often; choose another model, or remove the base',
        );
      await removeRetired(parts, lease);
      if (lease.record.reembedding?.state === 'running') await reembed(parts, lease);
      await removeRetired(parts, lease);
      await lease.end({ attempts: 0 }, null);
    } catch (thrown) {
      if (lease.signal.aborted || thrown instanceof LeaseLost || isUnreachable(thrown)) throw thrown;
      const fault = ingestFault(thrown);
      if (fault.code === 'internal') parts.warn(`The base ${lease.record._id} is not embedded anew`, thrown);
      await settle(parts, lease, fault);
    }
  };

/** Fills the new generation, then lets it be searched in one write. Documents that come meanwhile are filled in as well. */
async function reembed(parts: KnowledgeParts, lease: BaseLease): Promise<void> {
  for (let done = await chunksWith(parts, lease.record); ; ) {
    const lacking = await documentsWithout(parts, lease.record);
    if (lacking.length === 0) break;
    for (const document of lacking) done += await embedDocument(parts, lease, document, done);
  }
  const { generation: retired } = lease.record;
  const running = runningOf(lease.record);
  const now = new Date(parts.app.clock.now());
  // Documents have come and gone meanwhile.
  const all = await chunksWith(parts, lease.record);
  await lease.write({
    embedding: running.embedding,
    generation: running.generation,
    retired,
    reembedding: { ...running, state: 'done', done: all, total: all, error: null, ended_at: now },
    updated_at: now,
  });
  // What became ready since it was last looked for gets them by its own work.
  for (const { _id } of await documentsWithout(parts, lease.record))
    await ofTenant(parts.models.documents, lease.record.tenant_id).update(
      { _id, owner: null },
      { $set: { due_at: now } },
    );
}

/** Those whose vectors are not in the new generation yet. */
async function documentsWithout({ models }: KnowledgeParts, base: BaseRecord): Promise<Pick<DocumentRecord, '_id'>[]> {
  const { generation } = runningOf(base);
  return ofTenant(models.documents, base.tenant_id).find(
    { base_id: base._id, state: 'live', revision: { $gt: 0 }, generations: { $ne: generation } },
    { fields: ['_id'] },
  );
}

/** Chunks whose vectors are in the new generation, by the records of their documents. */
async function chunksWith({ models }: KnowledgeParts, base: BaseRecord): Promise<number> {
  const { generation } = runningOf(base);
  const its = { base_id: base._id, state: 'live', tenant_id: base.tenant_id, generations: generation };
  const sum = { $group: { _id: null, chunks: { $sum: '$cut.chunks' } } };
  const [found] = await models.documents.aggregate<{ chunks: number }>([{ $match: its }, sum]).exec();
  return found?.chunks ?? 0;
}

/** Answers how many chunks it had. `before`: those that were done. */
async function embedDocument(
  parts: KnowledgeParts,
  lease: BaseLease,
  { _id }: Pick<DocumentRecord, '_id'>,
  before: number,
): Promise<number> {
  const { models } = parts;
  const { tenant_id } = lease.record;
  const document = await ofTenant(models.documents, tenant_id).findOne({ _id, state: 'live' });
  if (document === null) return 0;
  const { revision } = document;
  const { generation: number, embedding, total } = runningOf(lease.record);
  const chunks = await searchedChunks(models, document, revision);
  const progressWritten = (chunk: number) =>
    lease.write({ 'reembedding.done': Math.min(before + chunk, total), attempts: 0 });
  const progress = { signal: lease.signal, done: async (chunk: number) => void (await progressWritten(chunk)) };
  await putVectors(parts, document, { revision, chunks }, { number, embedding }, progress);
  // One that has become another revision meanwhile has the vectors already, or lacks them still.
  await ofTenant(models.documents, tenant_id).update({ _id, revision }, { $addToSet: { generations: number } });
  await ofTenant(models.paid, tenant_id).remove({ _id: under(`${_id}:${revision}:${number}`) });
  await progressWritten(chunks.length);
  return chunks.length;
}

/** Removes vectors that are not searched any more. */
async function removeRetired(parts: KnowledgeParts, lease: BaseLease): Promise<void> {
  const { _id, tenant_id, retired } = lease.record;
  if (retired === null) return;
  await parts.vectors.removeGeneration({ tenantId: tenant_id, baseId: _id, generation: retired });
  await lease.write({ retired: null });
}

/** Tries again later, or gives up: then what was searched is searched on. */
async function settle({ app }: KnowledgeParts, lease: BaseLease, fault: IngestFault): Promise<void> {
  const { attempts, reembedding } = lease.record;
  const now = app.clock.now();
  const after = afterFailure(fault, attempts);
  const error = { code: fault.code, message: fault.message };
  if (after.kind === 'again' || reembedding?.state !== 'running') {
    const progressWritten = reembedding?.state === 'running' ? { 'reembedding.error': error } : {};
    await lease.end(progressWritten, new Date(now + (after.kind === 'again' ? after.afterMs : PAUSE_MS)));
    return;
  }
  const failed = { ...reembedding, state: 'failed' as const, error, ended_at: new Date(now) };
  await lease.end({ reembedding: failed, retired: reembedding.generation, attempts: 0 }, new Date(now));
}

const PAUSE_MS = 10 * 60_000;

function runningOf({ reembedding }: BaseRecord): Reembedding {
  if (reembedding === null) throw new Error('No other model is on its way');
  return reembedding;
}
