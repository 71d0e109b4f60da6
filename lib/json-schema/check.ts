import type { ErrorDetail } from '../errors';
import { canonicalJson, type Json, jsonSize } from '../json';
import { tick } from '../compute/time-slice';
import { memberPath } from '../json-path';

/** Checks one value; reports faults to the check. */
export type Rule = (value: Json, check: Check) => void;

/** Maximum reported faults of a value. */
const MAX_FAULTS = 20;
/** Maximum nested schemas for a value, including references. */
const MAX_DEPTH = 1_000;
/**
 * Maximum operations of a check. One is a schema applied to a value, or some members or characters. Measured: all of
 * them take 0.2 s, or 0.5 s with the worst regular expressions.
 */
const MAX_OPERATIONS = 2_000_000;

/** Ends a check that exceeds its limits. */
export class TooMuch extends Error {}

/** The check of one value: current position, faults so far, and remaining operations. */
export class Check {
  readonly #path: (string | number)[] = [];
  #faults: ErrorDetail[] = [];
  #max = MAX_FAULTS;
  #depth = 0;
  #left = MAX_OPERATIONS;

  constructor(private readonly root: string) {}

  get faults(): readonly ErrorDetail[] {
    return this.#faults;
  }

  /** True when no further faults are needed. */
  get full(): boolean {
    return this.#faults.length >= this.#max;
  }

  /** @throws TooMuch */
  spend(operations: number): void {
    tick(operations);
    this.#left -= operations;
    if (this.#left < 0) throw new TooMuch('takes too long to check; use a simpler schema, or a smaller value');
  }

  /** Records a fault of the current value, or of one of its members. */
  fault(message: string, member?: string | number): void {
    if (this.full) return;
    const keys = member === undefined ? this.#path : [...this.#path, member];
    this.#faults.push({ path: keys.reduce<string>(memberPath, this.root), message });
  }

  /** Applies the rules of a schema to the current value. */
  apply(rules: readonly Rule[], value: Json): void {
    this.spend(1);
    if (this.#depth === MAX_DEPTH) throw new TooMuch('is nested too deeply to be checked');
    this.#depth += 1;
    for (const rule of rules) {
      if (this.full) break;
      rule(value, this);
    }
    this.#depth -= 1;
  }

  /** Applies a rule to a member of the current value. */
  inside(key: string | number, rule: Rule, value: Json): void {
    this.#path.push(key);
    rule(value, this);
    this.#path.pop();
  }

  /** Whether a rule accepts the current value. */
  passes(rule: Rule, value: Json): boolean {
    const [faults, max] = [this.#faults, this.#max];
    [this.#faults, this.#max] = [[], 1];
    rule(value, this);
    const passed = this.#faults.length === 0;
    [this.#faults, this.#max] = [faults, max];
    return passed;
  }

  /** Equal texts for equal values only. */
  textOf(value: Json): string {
    this.spend(4 + (jsonSize(value) >> 1));
    return canonicalJson(value);
  }
}

/** The faults of a value; paths begin with `root`. Never throws: a check that exceeds its limits is a fault. */
export function faultsOf(rule: Rule, value: Json, root: string): readonly ErrorDetail[] {
  const check = new Check(root);
  try {
    rule(value, check);
    return check.faults;
  } catch (fault) {
    if (fault instanceof TooMuch) return [{ path: root, message: fault.message }];
    // Stack overflow while comparing a deeply nested value.
    if (fault instanceof RangeError) return [{ path: root, message: 'is nested too deeply to be checked' }];
    throw fault;
  }
}
