import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { allRows } from '../../app/paging';

const MAX_FOUND = 50;

export const skillsQuery = queryOptions({
  queryKey: ['skills', 'list'],
  queryFn: ({ signal }) => allRows((page) => api.skills.list(page, { signal })),
});

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: ['skills', 'one', id],
    queryFn: ({ signal }) => api.skills.get({ id }, { signal }),
  });

/** Published skills by their words; without any, the last published first. */
export const registryQuery = (q: string) =>
  queryOptions({
    queryKey: ['skills', 'registry', q],
    queryFn: async ({ signal }) =>
      (q === ''
        ? await api.skills.published({ limit: MAX_FOUND }, { signal })
        : await api.skills.search({ q, limit: MAX_FOUND }, { signal })
      ).data,
  });

export const publishedQuery = (id: string) =>
  queryOptions({
    queryKey: ['skills', 'published', id],
    queryFn: ({ signal }) => api.skills.published_skill({ id }, { signal }),
  });
