import { useEffect, useSyncExternalStore } from 'react';
import { streams } from '../../api/client';
import { refreshes } from '../../app/refreshes';
import { wait } from '../../app/wait';
import { keepOpen } from '../../model/keep-open';

/** Keeps the page of a running run up to date by its stream, as long as the page is in sight. */
export function useLiveRun(id: string, running: boolean): void {
  const visible = useSyncExternalStore(onVisibility, isVisible);
  useEffect(() => {
    if (!running || !visible) return;
    const stop = new AbortController();
    void follow(id, stop.signal);
    return () => {
      stop.abort();
      // What was fetched before the end was known may be older than that.
      refreshes.add([{ key: ['runs', id] }]);
    };
  }, [id, running, visible]);
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

const isVisible = (): boolean => !document.hidden;

async function follow(id: string, signal: AbortSignal): Promise<void> {
  const refresh = (): void => refreshes.add([{ key: ['runs', id] }]);
  let last: string | null = null;
  await keepOpen(
    {
      // The queries have what was before.
      open: (inner) =>
        streams.executions.stream(
          { id, logs: '1', ...(last === null ? { from: 'now' } : { 'Last-Event-ID': last }) },
          { signal: inner },
        ),
      onEvent: ({ id: at, event }) => {
        last = at ?? last;
        refresh();
        return event !== 'end';
      },
      onLost: refresh,
      wait,
      random: Math.random,
    },
    signal,
  );
}
