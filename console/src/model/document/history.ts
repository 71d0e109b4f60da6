/** Every state of a document since it was opened. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** Changes with the same key in a row are one, such as letters typed into one field. */
  readonly key: string | null;
}

export const historyOf = <T>(present: T): History<T> => ({ past: [], present, future: [], key: null });

/** The history with a further state; what was undone before is gone. */
export function changed<T>(history: History<T>, present: T, key: string | null = null): History<T> {
  if (Object.is(present, history.present)) return history;
  const merges = key !== null && key === history.key && history.past.length > 0;
  return { past: merges ? history.past : [...history.past, history.present], present, future: [], key };
}

export function undone<T>(history: History<T>): History<T> {
  const previous = history.past.at(-1);
  if (previous === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present: previous,
    future: [history.present, ...history.future],
    key: null,
  };
}

export function redone<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, key: null };
}
