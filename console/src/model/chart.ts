/** One bar of a stacked chart. */
export interface Bar {
  readonly label: string;
  /** In the order of the series. */
  readonly values: readonly number[];
}

/** A part of a bar, in units of the view box. */
interface Segment {
  readonly series: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

export const totalOf = ({ values }: Bar): number => values.reduce((sum, value) => sum + value, 0);

/** The smallest of 1, 2, 5, 10, 20, ... that is not below the value, as the top of an axis. */
export function niceMax(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

/** The segments of stacked bars, from the bottom up. A value above zero is at least one unit high, so that it is seen. */
export function stack(bars: readonly Bar[], { width, height, gap }: Size): Segment[] {
  const max = niceMax(Math.max(...bars.map(totalOf), 0));
  const slot = width / Math.max(1, bars.length);
  return bars.flatMap((bar, index) => {
    let bottom = height;
    return bar.values.flatMap((value, series): Segment[] => {
      if (value <= 0) return [];
      const tall = Math.max(1, (value / max) * height);
      bottom -= tall;
      return [{ series, x: index * slot + gap / 2, y: bottom, width: Math.max(1, slot - gap), height: tall }];
    });
  });
}

/** The points of a line through the values, as SVG takes them. */
export function linePoints(values: readonly number[], width: number, height: number): string {
  const max = Math.max(...values, 1);
  const step = width / Math.max(1, values.length - 1);
  return values.map((value, index) => `${round(index * step)},${round(height - (value / max) * height)}`).join(' ');
}

const round = (value: number): number => Math.round(value * 10) / 10;
