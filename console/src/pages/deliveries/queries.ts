import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';
import type { DeliveryFilters } from './route';

const PAGE_ROWS = 100;

/** Deliveries, newest first. */
export const deliveriesQuery = ({ outcome, source, workflow }: DeliveryFilters) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', 'list', outcome, source, workflow],
    queryFn: ({ pageParam, signal }) =>
      api.channels.all_deliveries(
        {
          ...(outcome === undefined ? {} : { outcome }),
          ...(source === undefined ? {} : { source }),
          ...(workflow === undefined ? {} : { workflow_id: workflow }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
          limit: PAGE_ROWS,
        },
        { signal },
      ),
    ...pagesByCursor,
  });

export const deliveryQuery = (workflowId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', workflowId, deliveryId],
    queryFn: ({ signal }) => api.channels.delivery({ id: workflowId, delivery_id: deliveryId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
