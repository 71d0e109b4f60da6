import type { Json } from '../../lib/json';
import { beginningOf } from '../../lib/json/beginning';

/** A view with at most so many characters of each of these values; `cut` names those that had more. Undefined: no limit. */
export function cutValues<K extends string, V extends Readonly<Record<K, Json>>>(
  view: V,
  names: readonly K[],
  maxChars: number | undefined,
): V & { cut?: K[] } {
  if (maxChars === undefined) return view;
  const parts = names.map((name) => ({ name, ...beginningOf(view[name], maxChars) }));
  const cut = parts.filter(({ truncated }) => truncated);
  return {
    ...view,
    ...Object.fromEntries(cut.map(({ name, value }) => [name, value])),
    cut: cut.map(({ name }) => name),
  };
}

export const RUN_VALUES = ['trigger', 'input', 'output'] as const;
export const STEP_VALUES = ['config', 'input', 'output'] as const;
