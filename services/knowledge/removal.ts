/**
 * Removal of documents and bases. One write to `state` makes a record invisible. Its data is removed afterwards and the
 * record last, so that after a crash another process continues.
 */
import { ofTenant } from '../../lib/tenant';
import { HASHED_DIMENSION } from '../../lib/search/hashed-vectors';
import { type BaseRecord, type DocumentRecord, idsUnder, idsUnderExcept } from './models';
import type { KnowledgeDeps } from './deps';
import { interrupt } from '../../mixins/leased-work/interrupt';
import type { Lease } from '../../mixins/leased-work/lease';

type Deps = Pick<KnowledgeDeps, 'models' | 'contents' | 'words' | 'vectors' | 'quota' | 'app'>;
type DocumentKey = Pick<DocumentRecord, '_id' | 'tenant_id'>;

const BATCH = 100;
/** Longer than a worker may run before it notices that the base was removed. */
const FINAL_PASS_DELAY_MS = 60_000;
/** Delay before documents with a worker are checked again. */
const BUSY_RETRY_MS = 1_000;

/** Removes the data of a document, then its record. `base` is null if its record no longer exists. */
export async function removeDocument(deps: Deps, lease: Lease<DocumentRecord>, base: BaseRecord | null): Promise<void> {
  const { record } = lease;
  const namespace = { tenantId: record.tenant_id, baseId: record.base_id };
  if (base !== null) {
    for (const { generation, dimension } of vectorGenerations(base))
      await deps.vectors.remove({ ...namespace, generation, dimension }, [record._id]);
    await deps.words.publishChanges(namespace, [record._id]);
  }
  await removeRecords(deps, record);
  lease.abandon();
}

/** Removes the data of all revisions except the searchable one. Of a document that failed to parse, only the content stays. */
export async function removeOldRevisions({ models }: Deps, document: DocumentRecord): Promise<void> {
  const { _id, tenant_id, revision, content } = document;
  for (const others of idsUnderExcept(_id, `${_id}:${revision}`))
    await ofTenant(models.chunks, tenant_id).remove({ _id: others });
  for (const others of content === null ? [idsUnder(_id)] : idsUnderExcept(_id, content.id))
    await ofTenant(models.contentParts, tenant_id).remove({ _id: others });
  await ofTenant(models.embeddingBatches, tenant_id).remove({ _id: idsUnder(_id) });
}

/** State of a base after a removal pass, and when the next pass is due. */
interface NextPass {
  readonly state: 'removing' | 'removed';
  readonly due: Date;
}

/** Runs one removal pass. Returns null when nothing is left. */
export async function removeBase(deps: Deps, base: BaseRecord): Promise<NextPass | null> {
  const { models, words, vectors, quota, app } = deps;
  const { _id, tenant_id } = base;
  const state = base.state === 'removed' ? 'removed' : 'removing';
  const documents = ofTenant(models.documents, tenant_id);
  for (;;) {
    const idle = { base_id: _id, owner: null };
    const some = await documents.find(idle, { limit: BATCH, fields: ['_id', 'tenant_id'] });
    if (some.length === 0) break;
    for (const document of some) await removeRecords(deps, document);
  }
  const now = app.clock.now();
  const busy = await documents.find({ base_id: _id }, { fields: ['_id'] });
  for (const document of busy)
    await interrupt(documents, { _id: document._id, state: 'live' }, { state: 'removing' }, new Date(now));
  if (busy.length > 0) return { state, due: new Date(now + BUSY_RETRY_MS) };
  for (const upload of await ofTenant(models.uploads, tenant_id).find({ base_id: _id }, { fields: ['_id'] }))
    await deps.contents.abandonUpload(tenant_id, upload._id);
  quota.invalidate(tenant_id);
  const namespace = { tenantId: tenant_id, baseId: _id };
  await vectors.removeAll(namespace);
  await words.removeAll(namespace);
  if (state === 'removed') {
    await ofTenant(models.bases, tenant_id).remove({ _id });
    return null;
  }
  // A second pass removes records of workers that had not yet noticed the removal.
  return { state: 'removed', due: new Date(app.clock.now() + FINAL_PASS_DELAY_MS) };
}

async function removeRecords({ models, contents, quota }: Deps, { _id, tenant_id }: DocumentKey): Promise<void> {
  await ofTenant(models.chunks, tenant_id).remove({ _id: idsUnder(_id) });
  await ofTenant(models.embeddingBatches, tenant_id).remove({ _id: idsUnder(_id) });
  await contents.removeContents(tenant_id, _id);
  await ofTenant(models.documents, tenant_id).remove({ _id });
  quota.invalidate(tenant_id);
}

/** Generations of a base that may have vectors, with their dimension. */
export function vectorGenerations({ generation, embedding, reembedding }: BaseRecord) {
  const all = [
    { generation, embedding },
    ...(reembedding === null ? [] : [{ generation: reembedding.generation, embedding: reembedding.embedding }]),
  ];
  return all.flatMap((each) => {
    const dimension = each.embedding === null ? HASHED_DIMENSION : each.embedding.dimension;
    return dimension === null ? [] : [{ generation: each.generation, dimension }];
  });
}
