import type { DslDiffView } from '../api/client';

export type StepChange = 'added' | 'changed' | 'moved';

/** What a comparison says of the steps of the later document, by their ids. A step that has moved and changed counts as changed. */
export function stepChanges(diff: DslDiffView | undefined): ReadonlyMap<string, StepChange> {
  if (diff === undefined) return new Map();
  const { added, moved, changed } = diff.steps;
  return new Map([
    ...moved.map(({ id }) => [id, 'moved'] as const),
    ...changed.map(({ id }) => [id, 'changed'] as const),
    ...added.map(({ id }) => [id, 'added'] as const),
  ]);
}
