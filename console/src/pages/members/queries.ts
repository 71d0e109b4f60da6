import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const PAGE_ROWS = 100;
const MAX_INVITES = 200;

/** Members, those who joined first before the others. */
export const membersQuery = infiniteQueryOptions({
  queryKey: ['members', 'list'],
  queryFn: ({ pageParam, signal }) => api.auth.members({ limit: PAGE_ROWS, offset: pageParam }, { signal }),
  initialPageParam: 0,
  getNextPageParam: ({ data, offset }) => (data.length < PAGE_ROWS ? null : offset + data.length),
});

/** Invitations that are not accepted, oldest first. */
export const invitesQuery = queryOptions({
  queryKey: ['members', 'invites'],
  queryFn: ({ signal }) => api.auth.invites({ limit: MAX_INVITES }, { signal }),
});
