import type { IndexKey } from '../../../lib/search';
import type { IndexedDocument, IndexHit, Namespace, SearchOptions } from '../../../lib/search/contract';
import { ofTenant } from '../../../lib/tenant';
import { searchedChunkPages } from '../ingest/chunks';
import type { DocumentRecord, KnowledgeModels } from '../models';
import type { LoadedDocument, Source, Synchronizer } from './synchronizer';

/** Words of the chunks of a base, ranked by BM25. A search sees every change that was acknowledged before it began. */
export interface WordIndex {
  /** Revisions of these documents are to be searched, or are gone, by their records. */
  changed(namespace: Namespace, documents: readonly string[]): Promise<void>;
  /** Every process compares its index with the documents. */
  compare(namespace: Namespace): Promise<void>;
  removeAll(namespace: Namespace): Promise<void>;
  search(namespace: Namespace, query: string, options: SearchOptions): Promise<IndexHit[]>;
}

const keyOf = ({ tenantId, baseId }: Namespace): IndexKey => ({ tenantId, baseId, kind: 'words', generation: 0 });

export const createWordIndex = (synchronizer: Synchronizer): WordIndex => ({
  changed: (namespace, documents) => synchronizer.changed(keyOf(namespace), documents),
  compare: (namespace) => synchronizer.compare(keyOf(namespace)),
  removeAll: (namespace) => synchronizer.drop(keyOf(namespace)),
  search: (namespace, query, options) => synchronizer.search(keyOf(namespace), query, options),
});

type Models = Pick<KnowledgeModels, 'documents' | 'chunks'>;

/** Words are those of the stored chunks. */
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
      for await (const chunks of searchedChunkPages(models, document as DocumentRecord, revision as number))
        yield { kind: 'words' as const, chunks };
    }
    return { revision, pages: pages() };
  }

  async list({ tenantId, baseId }: IndexKey, after: string, limit: number): Promise<IndexedDocument[]> {
    const found = await ofTenant(this.models.documents, tenantId).find(
      { base_id: baseId, state: 'live', _id: { $gt: after } },
      { sort: { _id: 1 }, limit, fields: ['revision', 'shown', 'next'] },
    );
    // A document without an indexed revision is listed as none, so that pages stay whole.
    return found.map((document) => ({ id: document._id, revision: indexedRevision(document) ?? 0 }));
  }
}

/** The newest revision that is, or may be, visible: while one replaces another, the one that comes. Pure. */
function indexedRevision({
  revision,
  shown,
  next,
}: Pick<DocumentRecord, 'revision' | 'shown' | 'next'>): number | null {
  if (revision > 0) return Math.max(revision, ...shown);
  return next === null || next.cut === null ? null : next.revision;
}
