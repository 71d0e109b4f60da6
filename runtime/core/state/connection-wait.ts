import type { RunState } from './state';

/** Since when a step waits for its connection, and when it asks again; null when it does not. */
export function connectionWaitAt(
  { steps, turns }: Pick<RunState, 'steps' | 'turns'>,
  path: string,
): { readonly since: number; readonly until: number } | null {
  const step = steps.get(path);
  if (step?.kind !== 'waiting' || step.wait.kind !== 'connection') return null;
  return { since: step.since, until: turns.get(path) ?? step.wait.until };
}

/** Steps that wait for connections ask again at once: their turns may have come. */
export function askAgain(state: RunState, now: number): void {
  for (const path of state.open) if (connectionWaitAt(state, path) !== null) state.turns.set(path, now);
}
