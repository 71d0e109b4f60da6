import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, type StepStatus, type StepView, type TimelineSpan } from '../../api/client';
import { parentOf } from '../../model/loop-path';
import type { WindowedList } from './windows';

const LOG_PAGE_LINES = 500;

/** Of a larger value, the browser gets the beginning until the user asks for all of it. */
const MAX_VALUE_CHARS = 64 * 1024;

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'summary'],
    queryFn: ({ signal }) => api.executions.get({ id, max_value_chars: MAX_VALUE_CHARS }, { signal }),
  });

/** Which steps of a run are listed: those around loops, or those inside one, and of one status. */
export interface StepFilter {
  readonly parent?: string | undefined;
  readonly status?: StepStatus | undefined;
}

const windowOf = ({ parent, status }: StepFilter, offset: number, limit: number) => ({
  loops: 'collapsed' as const,
  offset,
  limit,
  ...(parent === undefined ? {} : { parent }),
  ...(status === undefined ? {} : { status }),
});

/** The steps that have spans, each with its spans. */
export const timelineList = (id: string, filter: StepFilter): WindowedList<readonly TimelineSpan[]> => ({
  key: ['runs', id, 'timeline', filter],
  read: async (offset, limit, signal) => {
    const { spans, total } = await api.executions.timeline({ id, ...windowOf(filter, offset, limit) }, { signal });
    const rows = new Map<string, TimelineSpan[]>();
    for (const span of spans) {
      const row = rows.get(span.path);
      if (row === undefined) rows.set(span.path, [span]);
      else row.push(span);
    }
    return { rows: [...rows.values()], total };
  },
});

/** The pauses of the run. */
export const pausesQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'pauses'],
    queryFn: async ({ signal }) =>
      (await api.executions.timeline({ id, loops: 'collapsed', limit: 1 }, { signal })).pauses,
  });

export const stepsList = (id: string, filter: StepFilter): WindowedList<StepView> => ({
  key: ['runs', id, 'steps', filter],
  read: async (offset, limit, signal) => {
    const given = { id, values: false, ...windowOf(filter, offset, limit) };
    const { steps, total } = await api.executions.detail(given, { signal });
    return { rows: steps, total };
  },
});

/** The loop that is open in a list. */
export const loopQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['runs', id, 'loop', path],
    queryFn: async ({ signal }) => {
      const parent = parentOf(path);
      const given = { id, path, values: false, loops: 'collapsed' as const, limit: 1 };
      const inside = parent === undefined ? given : { ...given, parent };
      return (await api.executions.detail(inside, { signal })).steps[0] ?? null;
    },
  });

/** One step with its earlier attempts and its parts. */
export const stepQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['runs', id, 'step', path],
    queryFn: async ({ signal }) => {
      const find = async (by: { path: string } | { step_id: string }) =>
        (
          await api.executions.detail(
            { id, ...by, include: 'attempts,parts', limit: 1, max_value_chars: MAX_VALUE_CHARS },
            { signal },
          )
        ).steps[0];
      // Errors name a step by its id, which in a loop is not its path.
      return (await find({ path })) ?? (await find({ step_id: path })) ?? null;
    },
  });

/** A value of a step in full. */
export const wholeStepValue = async (id: string, path: string, name: 'config' | 'input' | 'output'): Promise<unknown> =>
  (await api.executions.detail({ id, path, limit: 1 })).steps[0]?.[name];

/** The document that the run executes; it never changes. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ['run-document', id],
    queryFn: ({ signal }) => api.executions.document({ id, values: false }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The state of each step of that document. */
export const overviewQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'overview'],
    queryFn: ({ signal }) => api.executions.overview({ id }, { signal }),
  });

/** Log lines of the run, or of one step. */
export const logsQuery = (id: string, path?: string) =>
  infiniteQueryOptions({
    queryKey: ['runs', id, 'logs', path ?? null],
    queryFn: ({ pageParam, signal }) =>
      api.executions.logs(
        { id, after: pageParam, limit: LOG_PAGE_LINES, ...(path === undefined ? {} : { path }) },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ more, next_after }) => (more ? next_after : undefined),
  });

export const filesQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'files'],
    queryFn: ({ signal }) => api.files.list({ exec_id: id, limit: 200 }, { signal }),
  });
