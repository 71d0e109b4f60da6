import { tick } from '../../lib/compute/time-slice';
import { Refusal } from './refusal';

/** Operations that one step of this family may take; one is about 50 ns, so that all of them are about 50 ms. */
const MAX_OPERATIONS = 1_000_000;
/** Operations that a step may take on the main thread: about 5 ms. */
const MAX_INLINE_OPERATIONS = 100_000;

/** Thrown by a budget inside `inlineWork`: the work is to be done on a compute thread, from its beginning. */
export class NeedsThread extends Error {}

let inline = false;

/** Runs pure, synchronous work with the budgets of the main thread. @throws NeedsThread */
export function inlineWork<T>(work: () => T): T {
  inline = true;
  try {
    return work();
  } finally {
    inline = false;
  }
}

/** The remaining work of a step. Counts work that can grow faster than its input. */
export class Budget {
  private spent = 0;

  /** @throws Refusal `too_large` when it is used up */
  spend(operations: number): void {
    tick(operations);
    this.spent += operations;
    if (this.spent > MAX_OPERATIONS) throw new Refusal('too_large', 'this takes too much work for one step; divide it');
    if (inline && this.spent > MAX_INLINE_OPERATIONS) throw new NeedsThread();
  }
}
