import { tick } from '../../../lib/compute/time-slice';
import type { Json, JsonObject } from '../../../lib/json';
import type { Expression } from '../ast';
import type { EvaluationContext } from '../evaluation-context';
import type { ExpressionError } from '../error';
import { absent, fail, measured, type EvaluationState, spend } from '../evaluation-state';
import { isJsonObject, type Kind, kindOf } from '../values';

/** One function of the language. Total and bounded: it returns, or throws through its arguments' `fail`. */
export interface FunctionSpec {
  readonly min: number;
  readonly max: number;
  call(args: Arguments): Json;
}

/** Functions by name. */
export type Family = Readonly<Record<string, FunctionSpec>>;

/**
 * The arguments of one call, evaluated when they are asked for (each at most once), so that an argument that is not
 * needed costs nothing and cannot fail. Reading a text or a list pays for handling it.
 */
export class Arguments {
  constructor(
    private readonly name: string,
    private readonly expressions: readonly Expression[],
    readonly scope: EvaluationState,
    readonly position: number,
    private readonly evaluate: (expression: Expression, scope: EvaluationState) => Json,
  ) {}

  get count(): number {
    return this.expressions.length;
  }

  get env(): EvaluationContext {
    return this.scope.env;
  }

  has(index: number): boolean {
    return index < this.expressions.length;
  }

  /** Any value, of any size: for functions that only look at its outside. */
  value(index: number): Json {
    return this.evaluate(this.expressions[index] as Expression, this.scope);
  }

  /** Any value, null when it is missing. */
  lenient(index: number): Json {
    const before = this.scope.lenient;
    this.scope.lenient = true;
    try {
      return this.value(index);
    } finally {
      this.scope.lenient = before;
    }
  }

  /** Any value, checked to be small enough to walk. */
  measured(index: number): Json {
    return measured(this.scope, this.value(index), this.position);
  }

  text(index: number, fallback?: string): string {
    if (fallback !== undefined && !this.has(index)) return fallback;
    const value = this.value(index);
    if (typeof value !== 'string') throw this.wrong(index, 'string', value);
    return measured(this.scope, value, this.position);
  }

  number(index: number, fallback?: number): number {
    if (fallback !== undefined && !this.has(index)) return fallback;
    const value = this.value(index);
    if (typeof value !== 'number') throw this.wrong(index, 'number', value);
    return value;
  }

  integer(index: number, min: number, max: number, fallback?: number): number {
    const value = this.number(index, fallback);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw this.fail(`argument ${index + 1} must be a whole number from ${min} to ${max}`);
  }

  list(index: number): Json[] {
    const value = this.value(index);
    if (!Array.isArray(value)) throw this.wrong(index, 'array', value);
    this.spend(value.length);
    return value;
  }

  object(index: number): JsonObject {
    const value = this.value(index);
    if (!isJsonObject(value)) throw this.wrong(index, 'object', value);
    this.spend(Object.keys(value).length);
    return value;
  }

  /** One of a few words. */
  word<W extends string>(index: number, words: readonly W[], fallback?: W): W {
    const text = this.text(index, fallback);
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    throw this.fail(`argument ${index + 1} must be one of ${words.join(', ')}`);
  }

  spend(operations: number): void {
    spend(this.scope, operations, this.position);
  }

  /** Says how much work comes next that the budget does not count, in operations of about 50 ns. */
  work(operations: number): void {
    tick(operations);
  }

  /** Checks a value made on the way, before it is walked or written out. */
  check<T extends Json>(value: T): T {
    return measured(this.scope, value, this.position);
  }

  /** The error to throw for an argument of the wrong type; absence spreads in lenient places. */
  wrong(index: number, wanted: string, value: Json): ExpressionError {
    const kind: Kind = kindOf(value);
    const message = `${this.name}: argument ${index + 1} must be ${wanted}, not ${kind}`;
    return kind === 'null' ? absent(this.scope, this.position, message) : fail(this.scope, this.position, message);
  }

  /** The error to throw for anything else. The message must not hold values. */
  fail(message: string): ExpressionError {
    return fail(this.scope, this.position, `${this.name}: ${message}`);
  }
}
