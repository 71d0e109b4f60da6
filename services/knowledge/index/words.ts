import type { IndexKey } from '../../../lib/search';
import type { IndexedDocument, IndexHit, Namespace, SearchOptions } from '../../../lib/search/contract';
import { ofTenant } from '../../../lib/tenant';
import { searchableChunkPages } from '../ingest/chunks';
import type { DocumentRecord, KnowledgeModels } from '../models';
import type { LoadedDocument, Source, Synchronizer } from './synchronizer';

/** BM25 index of the chunks of a base. A search sees every change acknowledged before it started. */
export interface WordIndex {
  /** Publishes that the searchable revision of these documents has changed or was removed. */
  publishChanges(namespace: Namespace, documents: readonly string[]): Promise<void>;
  /** Makes every process compare its index with the documents. */
  requestRebuild(namespace: Namespace): Promise<void>;
  removeAll(namespace: Namespace): Promise<void>;
  search(namespace: Namespace, query: string, options: SearchOptions): Promise<IndexHit[]>;
}

const keyOf = ({ tenantId, baseId }: Namespace): IndexKey => ({ tenantId, baseId, kind: 'words', generation: 0 });

export const createWordIndex = (synchronizer: Synchronizer): WordIndex => ({
  publishChanges: (namespace, documents) => synchronizer.publishChanges(keyOf(namespace), documents),
  requestRebuild: (namespace) => synchronizer.requestRebuild(keyOf(namespace)),
  removeAll: (namespace) => synchronizer.drop(keyOf(namespace)),
  search: (namespace, query, options) => synchronizer.search(keyOf(namespace), query, options),
});

type Models = Pick<KnowledgeModels, 'documents' | 'chunks'>;

/** Supplies the index with the stored chunks. */
export class WordSource implements Source {
  constructor(private readonly models: Models) {}

  async load({ tenantId, baseId }: IndexKey, id: string): Promise<LoadedDocument | null> {
    const document = await ofTenant(this.models.documents, tenantId).findOne({
      _id: id,
      base_id: baseId,
      state: 'live',
    });
    const revision = document === null ? null : indexedRevision(document);
    if (document === null || revision === null) return null;
    const { models } = this;
    async function* pages() {
      for await (const chunks of searchableChunkPages(models, document as DocumentRecord, revision as number))
        yield { kind: 'words' as const, chunks };
    }
    return { revision, pages: pages() };
  }

  async list({ tenantId, baseId }: IndexKey, after: string, limit: number): Promise<IndexedDocument[]> {
    const found = await ofTenant(this.models.documents, tenantId).find(
      { base_id: baseId, state: 'live', _id: { $gt: after } },
      { sort: { _id: 1 }, limit, fields: ['revision', 'shown', 'next'] },
    );
    // Listed with revision 0 instead of left out, so that a short page means the end.
    return found.map((document) => ({ id: document._id, revision: indexedRevision(document) ?? 0 }));
  }
}

/** The revision to index: the newest visible one, including a next revision whose chunks are stored. Pure. */
function indexedRevision({
  revision,
  shown,
  next,
}: Pick<DocumentRecord, 'revision' | 'shown' | 'next'>): number | null {
  if (revision > 0) return Math.max(revision, ...shown);
  return next === null || next.cut === null ? null : next.revision;
}
