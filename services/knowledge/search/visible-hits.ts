import { ofTenant } from '../../../lib/tenant';
import type { IndexHit } from '../../../lib/search/contract';
import { type BaseRecord, type ChunkRecord, chunkId, type DocumentRecord, type KnowledgeModels } from '../models';

/** A hit with its records. */
export interface Candidate extends IndexHit {
  readonly chunk: ChunkRecord;
  readonly document: DocumentRecord;
}

/** Returns the first `limit` hits whose revision is visible, in order. */
export async function loadVisibleHits(
  models: Pick<KnowledgeModels, 'documents' | 'chunks'>,
  { _id: baseId, tenant_id }: BaseRecord,
  hits: readonly IndexHit[],
  limit: number,
): Promise<Candidate[]> {
  if (hits.length === 0) return [];
  const ids = [...new Set(hits.map(({ documentId }) => documentId))];
  const documents = await ofTenant(models.documents, tenant_id).find(
    { _id: { $in: ids }, base_id: baseId, state: 'live' },
    { fields: ['_id', 'tenant_id', 'name', 'metadata', 'source', 'shown'] },
  );
  const byId = new Map(documents.map((document) => [document._id, document]));
  const live = hits.flatMap((hit) => {
    const document = byId.get(hit.documentId);
    return document?.shown.includes(hit.revision) ? [{ hit, document }] : [];
  });
  // A few more: chunks may be removed between the two queries.
  const first = newestRevisions(live).slice(0, limit + 10);
  const chunks = await ofTenant(models.chunks, tenant_id).find({
    _id: { $in: first.map(({ hit }) => idOf(hit)) },
    base_id: baseId,
  });
  const chunkOf = new Map(chunks.map((chunk) => [chunk._id, chunk]));
  return first
    .flatMap(({ hit, document }) => {
      const chunk = chunkOf.get(idOf(hit));
      return chunk === undefined ? [] : [{ ...hit, chunk, document }];
    })
    .slice(0, limit);
}

const idOf = ({ documentId, revision, n }: IndexHit): string => chunkId(documentId, revision, n);

interface DocumentHit {
  readonly hit: IndexHit;
  readonly document: DocumentRecord;
}

/** Keeps the newest visible revision of each document: during a replacement the indexes may return two. */
function newestRevisions(live: readonly DocumentHit[]): DocumentHit[] {
  const newest = new Map<string, number>();
  for (const { hit } of live) newest.set(hit.documentId, Math.max(hit.revision, newest.get(hit.documentId) ?? 0));
  return live.filter(({ hit }) => hit.revision === newest.get(hit.documentId));
}
