import type { JsonObject } from '../../../lib/json';
import type { Failure } from '../decide/failure';
import { type Control, type ControlStatus, type ContainerStep, OPEN, type BlockStatus } from './control';

/** Runs blocks concurrently. Done when `wait` of them are done; failed when so many cannot succeed any more. */
export const parallel: Control<'parallel'> = {
  begin: () => ({ kind: 'opened', controlState: { kind: 'parallel' } }),

  walk(container) {
    const decided = outcomeOf(container, container.statusOf);
    return decided.kind === 'open' ? outcomeOf(container, container.walk) : decided;
  },
};

function outcomeOf(
  { control: { branches, wait }, last }: ContainerStep<'parallel'>,
  of: (key: string) => BlockStatus,
): ControlStatus {
  const done: string[] = [];
  const failures: Failure[] = [];
  for (const [index] of branches.entries()) {
    const status = of(keyOf(index));
    if (status.kind === 'done') done.push(keyOf(index));
    if (status.kind === 'failed') failures.push(status.failure);
  }
  if (done.length >= wait) {
    const outputs: JsonObject = {};
    for (const [index, id] of branches.entries())
      if (done.includes(keyOf(index))) outputs[id] = last(keyOf(index))?.output ?? null;
    return { kind: 'done', output: { branches: outputs } };
  }
  if (branches.length - failures.length >= wait) return OPEN;
  // The failure that made success impossible.
  const order = failures.toSorted((a, b) => a.at - b.at);
  return { kind: 'failed', failure: order[branches.length - wait] as Failure };
}

const keyOf = (index: number): string => `branches.${index}`;
