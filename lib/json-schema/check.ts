import type { ErrorDetail } from '../errors';
import { canonicalJson, type Json, jsonSize } from '../json';
import { memberPlace } from '../json-place';

/** Told to one value: faults go to the check. */
export type Rule = (value: Json, check: Check) => void;

/** Faults of one value that are told. */
const MAX_FAULTS = 20;
/** Schemas inside each other for one value, references followed. */
const MAX_DEPTH = 1_000;
/**
 * Operations of one check: one is a schema applied to a value, or some members or characters looked at. Measured, all
 * of them take a fifth of a second, or half a second in the worst regular expressions.
 */
const MAX_OPERATIONS = 2_000_000;

/** Ends a check that would take too long. */
export class TooMuch extends Error {}

/** One value being checked: where it is being looked at, what is wrong so far, and what the check may still cost. */
export class Check {
  readonly #path: (string | number)[] = [];
  #faults: ErrorDetail[] = [];
  #most = MAX_FAULTS;
  #depth = 0;
  #left = MAX_OPERATIONS;

  constructor(private readonly root: string) {}

  get faults(): readonly ErrorDetail[] {
    return this.#faults;
  }

  /** True when nobody wants to know of further faults. */
  get full(): boolean {
    return this.#faults.length >= this.#most;
  }

  /** @throws TooMuch */
  spend(operations: number): void {
    this.#left -= operations;
    if (this.#left < 0) throw new TooMuch('takes too long to check; use a simpler schema, or a smaller value');
  }

  /** Records a fault of the value at hand, or of a member of it. */
  fault(message: string, member?: string | number): void {
    if (this.full) return;
    const keys = member === undefined ? this.#path : [...this.#path, member];
    this.#faults.push({ path: keys.reduce<string>(memberPlace, this.root), message });
  }

  /** Applies the rules of one schema to the value at hand. */
  apply(rules: readonly Rule[], value: Json): void {
    this.spend(1);
    if (this.#depth === MAX_DEPTH) throw new TooMuch('is nested too deep to be checked');
    this.#depth += 1;
    for (const rule of rules) {
      if (this.full) break;
      rule(value, this);
    }
    this.#depth -= 1;
  }

  /** Applies a rule to a member of the value at hand. */
  inside(key: string | number, rule: Rule, value: Json): void {
    this.#path.push(key);
    rule(value, this);
    this.#path.pop();
  }

  /** Whether a rule finds nothing wrong with the value at hand. */
  passes(rule: Rule, value: Json): boolean {
    const [faults, most] = [this.#faults, this.#most];
    [this.#faults, this.#most] = [[], 1];
    rule(value, this);
    const passed = this.#faults.length === 0;
    [this.#faults, this.#most] = [faults, most];
    return passed;
  }

  /** The same text for equal values, and for no others. */
  textOf(value: Json): string {
    this.spend(4 + (jsonSize(value) >> 1));
    return canonicalJson(value);
  }
}

/** What is wrong with a value; paths begin with `root`. Never throws: a check that is too costly is a fault as well. */
export function faultsOf(rule: Rule, value: Json, root: string): readonly ErrorDetail[] {
  const check = new Check(root);
  try {
    rule(value, check);
    return check.faults;
  } catch (fault) {
    if (fault instanceof TooMuch) return [{ path: root, message: fault.message }];
    // The stack is full: of comparing a value that is nested beyond any depth that people write.
    if (fault instanceof RangeError) return [{ path: root, message: 'is nested too deep to be checked' }];
    throw fault;
  }
}
