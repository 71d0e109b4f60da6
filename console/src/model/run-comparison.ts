import { formatDuration } from './format';

interface Side {
  readonly status: string;
  readonly duration_ms: number | null;
}

interface Step {
  readonly result: 'different' | 'only_in_a' | 'only_in_b' | 'same';
  readonly differs: readonly string[];
  readonly a: Side | null;
  readonly b: Side | null;
}

/** What differs between a step in two runs: `Output, status`, `Only in A`, `The same`. */
export function differenceText({ result, differs }: Step): string {
  switch (result) {
    case 'same':
      return 'The same';
    case 'only_in_a':
      return 'Only in A';
    case 'only_in_b':
      return 'Only in B';
    case 'different': {
      const text = differs.map((word) => (word === 'loop' ? 'items' : word)).join(', ');
      return text.charAt(0).toUpperCase() + text.slice(1);
    }
  }
}

/** By how much B is more or less than A: `+1.2 s`, `-300 ms`; null where one is missing or both are equal. */
export function changeText(
  a: number | null,
  b: number | null,
  format: (value: number) => string = formatDuration,
): string | null {
  if (a === null || b === null || a === b) return null;
  return `${b > a ? '+' : '-'}${format(Math.abs(b - a))}`;
}

/** The older run is the base of a comparison. Both are given with the times of their starts. */
export function inOrder<T extends { readonly id: string; readonly started_at: string }>(one: T, other: T): [T, T] {
  return one.started_at <= other.started_at ? [one, other] : [other, one];
}
