import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByOffset } from '../../app/paging';

const MAX_BASES = 200;
const PAGE_DOCUMENTS = 100;
const PAGE_CHUNKS = 20;

/** Knowledge bases, newest first. */
export const basesQuery = queryOptions({
  queryKey: ['knowledge', 'list'],
  queryFn: ({ signal }) => api.knowledge.list({ limit: MAX_BASES }, { signal }),
});

export const baseQuery = (id: string) =>
  queryOptions({
    queryKey: ['knowledge', id, 'base'],
    queryFn: ({ signal }) => api.knowledge.get({ id }, { signal }),
  });

/** Documents of a base, newest first. */
export const documentsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['knowledge', id, 'documents'],
    queryFn: ({ pageParam: offset, signal }) =>
      api.knowledge.documents({ id, limit: PAGE_DOCUMENTS, offset }, { signal }),
    ...pagesByOffset,
  });

export const documentQuery = (baseId: string, id: string) =>
  queryOptions({
    queryKey: ['knowledge', baseId, 'document', id],
    queryFn: ({ signal }) => api.knowledge.document({ base_id: baseId, id }, { signal }),
  });

/** Chunks in the order of the document; `hash` makes those of other contents another query. */
export const chunksQuery = (baseId: string, id: string, hash: string | null) =>
  infiniteQueryOptions({
    queryKey: ['knowledge-chunks', baseId, id, hash],
    queryFn: ({ pageParam: offset, signal }) =>
      api.knowledge.chunks({ base_id: baseId, id, limit: PAGE_CHUNKS, offset }, { signal }),
    ...pagesByOffset,
  });
