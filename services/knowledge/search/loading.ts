import { ofTenant } from '../../../lib/tenant';
import type { IndexHit } from '../../../lib/search/contract';
import { type BaseRecord, type ChunkRecord, chunkId, type DocumentRecord, type KnowledgeModels } from '../models';

/** A hit with what is shown of it. */
export interface Candidate extends IndexHit {
  readonly chunk: ChunkRecord;
  readonly document: DocumentRecord;
}

/** Of the hits, in their order, the first so many that belong to documents as they are searched now. */
export async function visibleOf(
  models: Pick<KnowledgeModels, 'documents' | 'chunks'>,
  { _id: baseId, tenant_id }: BaseRecord,
  hits: readonly IndexHit[],
  most: number,
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
  // Some more, as a chunk may be taken away between the two readings.
  const first = newestOf(live).slice(0, most + 10);
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
    .slice(0, most);
}

const idOf = ({ documentId, revision, n }: IndexHit): string => chunkId(documentId, revision, n);

interface Live {
  readonly hit: IndexHit;
  readonly document: DocumentRecord;
}

/** While one revision takes the place of another, both may be found: of a document, the newest that was is shown. */
function newestOf(live: readonly Live[]): Live[] {
  const newest = new Map<string, number>();
  for (const { hit } of live) newest.set(hit.documentId, Math.max(hit.revision, newest.get(hit.documentId) ?? 0));
  return live.filter(({ hit }) => hit.revision === newest.get(hit.documentId));
}
