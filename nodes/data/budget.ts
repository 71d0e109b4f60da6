import { Refusal } from './computed';

/** Operations that one step of this family may take; one is about 50 ns, so that all of them are about 50 ms. */
const MAX_OPERATIONS = 1_000_000;

/** What is left of the work that one step may do. Counts what can grow faster than its input. */
export class Budget {
  private left = MAX_OPERATIONS;

  /** @throws Refusal `too_large` when it is used up */
  spend(operations: number): void {
    this.left -= operations;
    if (this.left < 0) throw new Refusal('too_large', 'this takes too much work for one step; divide it');
  }
}
