/**
 * How documents and bases go. Each is gone for everybody by the one write that says so; what it has left goes after it,
 * its record last, so that another process continues after a crash.
 */
import { ofTenant } from '../../lib/tenant';
import { HASHED_DIMENSION } from '../../lib/search/hashed-vectors';
import { type BaseRecord, type DocumentRecord, under, underBut } from './models';
import type { KnowledgeParts } from './parts';
import { interrupt } from './work/interrupt';
import type { Lease } from './work/lease';

type Parts = Pick<KnowledgeParts, 'models' | 'contents' | 'words' | 'vectors' | 'quota' | 'app'>;
type Of = Pick<DocumentRecord, '_id' | 'tenant_id'>;

const AT_ONCE = 100;
/** Longer than a worker takes to notice that the base was removed. */
const SETTLED_MS = 60_000;
/** Documents that are being worked on are checked again later. */
const BUSY_MS = 1_000;

/** What a document has left, and its record. `base`: null where that is gone. */
export async function removeDocument(
  parts: Parts,
  lease: Lease<DocumentRecord>,
  base: BaseRecord | null,
): Promise<void> {
  const { record } = lease;
  const space = { tenantId: record.tenant_id, baseId: record.base_id };
  if (base !== null) {
    for (const { generation, dimension } of spacesOf(base))
      await parts.vectors.remove({ ...space, generation, dimension }, [record._id]);
    await parts.words.changed(space, [record._id]);
  }
  await removeStored(parts, record);
  lease.drop();
}

/** What all revisions but the one that is searched have left; and of one that cannot be read, all but its content. */
export async function tidyDocument({ models }: Parts, document: DocumentRecord): Promise<void> {
  const { _id, tenant_id, revision, content } = document;
  for (const others of underBut(_id, `${_id}:${revision}`))
    await ofTenant(models.chunks, tenant_id).remove({ _id: others });
  for (const others of content === null ? [under(_id)] : underBut(_id, content.id))
    await ofTenant(models.parts, tenant_id).remove({ _id: others });
  await ofTenant(models.paid, tenant_id).remove({ _id: under(_id) });
}

/** What is left of a base that goes, and when the next turn is due. */
interface NextTurn {
  readonly state: 'removing' | 'removed';
  readonly due: Date;
}

/** One turn at removing a base. Null when nothing is left. */
export async function removeBase(parts: Parts, base: BaseRecord): Promise<NextTurn | null> {
  const { models, words, vectors, quota, app } = parts;
  const { _id, tenant_id } = base;
  const state = base.state === 'removed' ? 'removed' : 'removing';
  const documents = ofTenant(models.documents, tenant_id);
  for (;;) {
    const idle = { base_id: _id, owner: null };
    const some = await documents.find(idle, { limit: AT_ONCE, fields: ['_id', 'tenant_id'] });
    if (some.length === 0) break;
    for (const document of some) await removeStored(parts, document);
  }
  const now = app.clock.now();
  const busy = await documents.find({ base_id: _id }, { fields: ['_id'] });
  for (const document of busy)
    await interrupt(documents, { _id: document._id, state: 'live' }, { state: 'removing' }, new Date(now));
  if (busy.length > 0) return { state, due: new Date(now + BUSY_MS) };
  for (const upload of await ofTenant(models.uploads, tenant_id).find({ base_id: _id }, { fields: ['_id'] }))
    await parts.contents.giveUp(tenant_id, upload._id);
  quota.forget(tenant_id);
  const space = { tenantId: tenant_id, baseId: _id };
  await vectors.removeAll(space);
  await words.removeAll(space);
  if (state === 'removed') {
    await ofTenant(models.bases, tenant_id).remove({ _id });
    return null;
  }
  // Once more later, for records of a worker that did not know of the removal yet.
  return { state: 'removed', due: new Date(app.clock.now() + SETTLED_MS) };
}

async function removeStored({ models, contents, quota }: Parts, { _id, tenant_id }: Of): Promise<void> {
  await ofTenant(models.chunks, tenant_id).remove({ _id: under(_id) });
  await ofTenant(models.paid, tenant_id).remove({ _id: under(_id) });
  await contents.removeAll(tenant_id, _id);
  await ofTenant(models.documents, tenant_id).remove({ _id });
  quota.forget(tenant_id);
}

/** Every generation of a base that may have vectors, with their length. */
export function spacesOf({ generation, embedding, reembedding }: BaseRecord) {
  const all = [
    { generation, embedding },
    ...(reembedding === null ? [] : [{ generation: reembedding.generation, embedding: reembedding.embedding }]),
  ];
  return all.flatMap((each) => {
    const dimension = each.embedding === null ? HASHED_DIMENSION : each.embedding.dimension;
    return dimension === null ? [] : [{ generation: each.generation, dimension }];
  });
}
