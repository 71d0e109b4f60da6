import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor, whileNotScrolled } from '../../app/paging';

const PAGE_ROWS = 50;
const REFRESH_MS = 15_000;
/** Schedules in the strip of the day. */
export const MAX_LANES = 12;
/** The most that the server lists for one schedule. */
export const LANE_TIMES = 25;

/** Schedules by workflow. Only a list that has not been scrolled is refreshed. */
export const schedulesQuery = (paused: boolean | undefined) =>
  infiniteQueryOptions({
    queryKey: ['schedules', 'list', paused],
    queryFn: ({ pageParam, signal }) =>
      api.scheduler.list(
        {
          ...(paused === undefined ? {} : { paused }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
          limit: PAGE_ROWS,
        },
        { signal },
      ),
    ...pagesByCursor,
    refetchInterval: whileNotScrolled(REFRESH_MS),
  });

/** The schedules that start next, with their times of the day. */
export const dayQuery = queryOptions({
  queryKey: ['schedules', 'day'],
  queryFn: ({ signal }) => api.scheduler.list({ sort: 'next', limit: MAX_LANES, next_runs: LANE_TIMES }, { signal }),
  refetchInterval: REFRESH_MS,
});

/** One schedule with its last times. */
export const scheduleQuery = (workflowId: string, trigger: number) =>
  queryOptions({
    queryKey: ['schedules', 'one', workflowId, trigger],
    queryFn: async ({ signal }) => {
      const { schedule, schedules } = await api.workflows.schedule({ id: workflowId }, { signal });
      const all = schedules ?? (schedule === null ? [] : [schedule]);
      return all.flatMap((each) => ('next_runs' in each && each.trigger === trigger ? [each] : []))[0] ?? null;
    },
    refetchInterval: REFRESH_MS,
  });
