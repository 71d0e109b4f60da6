import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const REFRESH_MS = 10_000;
/** A tenant has at most a hundred. */
const MAX_ALERTS = 200;
const MAX_NOTICES = 50;
const MAX_WORKFLOWS = 200;

/** The alerts by name, with what holds of them. */
export const alertsQuery = (workflow: string | undefined) =>
  queryOptions({
    queryKey: ['alerts', 'list', workflow],
    queryFn: ({ signal }) =>
      api.alerts.list({ limit: MAX_ALERTS, ...(workflow === undefined ? {} : { workflow_id: workflow }) }, { signal }),
    refetchInterval: REFRESH_MS,
  });

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'one', id],
    queryFn: ({ signal }) => api.alerts.get({ id }, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** The last notices of an alert. */
export const noticesQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'notices', id],
    queryFn: ({ signal }) => api.alerts.notifications({ id, limit: MAX_NOTICES }, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** Workflows to choose from, by name. */
export const workflowChoicesQuery = queryOptions({
  queryKey: ['alerts', 'workflows'],
  queryFn: ({ signal }) => api.workflows.list({ sort: 'name', limit: MAX_WORKFLOWS }, { signal }),
});
