import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client';

/** Name, logo and colour on the pages for visitors. */
export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  queryFn: ({ signal }) => api.auth.branding({}, { signal }),
});
