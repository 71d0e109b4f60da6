import type { LayoutStop } from './layout';

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The next stop in a direction. Up and down follow the order of the document, so that they reach everything; left and
 * right go to the nearest stop of another column. The first stop without a start.
 */
export function stopToward(
  stops: readonly LayoutStop[],
  from: string | undefined,
  direction: Direction,
): string | undefined {
  const at = stops.findIndex(({ key }) => key === from);
  const start = stops[at];
  if (start === undefined) return stops[0]?.key;
  if (direction === 'up') return stops[at - 1]?.key;
  if (direction === 'down') return stops[at + 1]?.key;
  const sign = direction === 'left' ? -1 : 1;
  let best: { key: string; distance: number } | undefined;
  for (const { key, x, y } of stops) {
    const ahead = sign * (x - start.x);
    const distance = ahead + 2 * Math.abs(y - start.y);
    if (ahead > 1 && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  return best?.key;
}
