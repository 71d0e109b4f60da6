import { useEffect, useReducer } from 'react';
import { formatDuration, formatInstant, formatRelative, relativeTextLasts } from '../model/format';

/** Renders again after so many milliseconds; null for never. */
function useRenderAfter(ms: number | null): void {
  const [round, next] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (ms === null) return;
    const timer = setTimeout(next, ms);
    return () => clearTimeout(timer);
  }, [ms, round]);
}

/** How long ago or from now, kept up to date; the exact time is its tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const instant = Date.parse(at);
  const now = Date.now();
  useRenderAfter(relativeTextLasts(instant, now));
  return (
    <time dateTime={at} title={formatInstant(instant)}>
      {formatRelative(instant, now)}
    </time>
  );
}

/** The time between two instants; without an end it goes on. */
export function Duration({ from, to }: { readonly from: string; readonly to: string | null }) {
  useRenderAfter(to === null ? 1_000 : null);
  return <span>{formatDuration((to === null ? Date.now() : Date.parse(to)) - Date.parse(from))}</span>;
}
