import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client';

const PAGE_STEPS = 200;
/** Events of a busy run arrive faster than a page is read. */
const REFRESH_MS = 1_000;
const RECONNECT_MS = 2_000;

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'summary'],
    queryFn: ({ signal }) => api.executions.get({ id }, { signal }),
  });

export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'timeline'],
    queryFn: ({ signal }) => api.executions.timeline({ id }, { signal }),
  });

export const stepsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['runs', id, 'steps'],
    queryFn: ({ pageParam, signal }) => api.executions.detail({ id, limit: PAGE_STEPS, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, steps, total }) => (offset + steps.length < total ? offset + steps.length : undefined),
  });

/** One step with its earlier attempts and its parts. */
export const stepQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['runs', id, 'step', path],
    queryFn: async ({ signal }) => {
      const find = async (by: { path: string } | { step_id: string }) =>
        (await api.executions.detail({ id, ...by, include: 'attempts,parts', limit: 1 }, { signal })).steps[0];
      // Errors name a step by its id, which in a loop is not its path.
      return (await find({ path })) ?? (await find({ step_id: path })) ?? null;
    },
  });

export const filesQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'files'],
    queryFn: ({ signal }) => api.files.list({ exec_id: id, limit: 200 }, { signal }),
  });

/** Keeps all queries of a running run up to date by its stream of events; connects again when the stream breaks. */
export function useLiveRun(id: string, running: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!running) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ['runs', id] });
      }, REFRESH_MS);
    };
    void follow(id, stop.signal, refresh);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, id, running]);
}

async function follow(id: string, signal: AbortSignal, onEvent: () => void): Promise<void> {
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    try {
      const given = lastEventId === undefined ? { id } : { id, 'Last-Event-ID': lastEventId };
      for await (const event of api.executions.stream(given, { signal })) {
        lastEventId = event.id ?? lastEventId;
        onEvent();
        if (event.event === 'end') return;
      }
    } catch {
      // The queries show what is wrong; the stream only says when to ask again.
    }
    onEvent();
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
