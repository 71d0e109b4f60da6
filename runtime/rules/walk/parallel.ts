import type { JsonObject } from '../../../lib/json';
import type { Failure } from '../failure';
import { type Control, type Held, type Holder, OPEN, type Walked } from './walked';

/** Blocks side by side. Done when so many of them are as are waited for; failed when so many cannot be any more. */
export const parallel: Control<'parallel'> = {
  begin: () => ({ kind: 'opened', opening: { kind: 'parallel' } }),

  walk(holder) {
    const decided = outcomeOf(holder, holder.standing);
    return decided.kind === 'open' ? outcomeOf(holder, holder.walk) : decided;
  },
};

function outcomeOf({ control: { branches, wait }, last }: Holder<'parallel'>, of: (key: string) => Walked): Held {
  const done: string[] = [];
  const failures: Failure[] = [];
  for (const [index] of branches.entries()) {
    const stands = of(keyOf(index));
    if (stands.kind === 'done') done.push(keyOf(index));
    if (stands.kind === 'failed') failures.push(stands.failure);
  }
  if (done.length >= wait) {
    const outputs: JsonObject = {};
    for (const [index, id] of branches.entries())
      if (done.includes(keyOf(index))) outputs[id] = last(keyOf(index))?.output ?? null;
    return { kind: 'done', output: { branches: outputs } };
  }
  if (branches.length - failures.length >= wait) return OPEN;
  // The failure that left too few.
  const order = failures.toSorted((a, b) => a.at - b.at);
  return { kind: 'failed', failure: order[branches.length - wait] as Failure };
}

const keyOf = (index: number): string => `branches.${index}`;
