import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';
import { msUntilNext } from '../../app/queries';

const PAGE_ROWS = 50;
/** Schedules in the strip of the day. */
export const MAX_LANES = 12;
/** The most that the server lists for one schedule. */
export const LANE_TIMES = 25;

/** Schedules by workflow. A time that is skipped has no event, so lists are also read when the next time is over. */
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
    refetchInterval: ({ state: { data } }) => {
      const [first, ...more] = data?.pages ?? [];
      return first === undefined || more.length > 0 ? false : msUntilNext(first.data.map(({ next_at }) => next_at));
    },
  });

/** The schedules that start next, with their times of the day. */
export const dayQuery = queryOptions({
  queryKey: ['schedules', 'day'],
  queryFn: ({ signal }) => api.scheduler.list({ sort: 'next', limit: MAX_LANES, next_runs: LANE_TIMES }, { signal }),
  refetchInterval: ({ state }) => msUntilNext(state.data?.data.map(({ next_at }) => next_at) ?? []),
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
    refetchInterval: ({ state }) => msUntilNext(state.data?.next_runs ?? []),
  });
