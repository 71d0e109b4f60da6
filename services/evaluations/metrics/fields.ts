import type { ErrorDetail } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';

interface TextRules {
  readonly fallback?: string;
  readonly max?: number;
  readonly pattern?: RegExp;
  readonly says?: string;
}

interface NumberRules {
  readonly fallback?: number;
  readonly min?: number;
  readonly max?: number;
  /** Whether `min` itself is refused. */
  readonly above?: boolean;
}

/** Reads the fields of an object, and collects their faults. Returns a value of the right type also for a fault. */
export class Fields {
  readonly #read = new Set<string>();

  constructor(
    private readonly given: Readonly<Record<string, unknown>>,
    private readonly path: string,
    private readonly faults: ErrorDetail[],
  ) {}

  fault(name: string, message: string, hint?: string): void {
    this.faults.push({ path: `${this.path}.${name}`, message, ...(hint === undefined ? {} : { hint }) });
  }

  /** Without a fallback the text is required, and not empty. */
  text(name: string, { fallback, max = 1_000, pattern, says = 'is not valid' }: TextRules): string {
    const value = this.#value(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value !== 'string' || value === '' || value.length > max) {
      this.fault(name, value === undefined ? 'is missing' : `must be a text of 1 to ${max} characters`);
      return '';
    }
    if (pattern !== undefined && !pattern.test(value)) this.fault(name, says);
    return value;
  }

  optionalText(name: string, max: number): string | null {
    const value = this.#value(name);
    if (value === undefined) return null;
    if (typeof value === 'string' && value !== '' && value.length <= max) return value;
    this.fault(name, `must be a text of 1 to ${max} characters`);
    return null;
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | null {
    const value = this.#value(name);
    if (value === undefined) return null;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.fault(name, `must be one of ${choices.join(', ')}`);
    return found ?? null;
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    if (value !== undefined && typeof value !== 'boolean') this.fault(name, 'must be true or false');
    return value === true;
  }

  number(
    name: string,
    { fallback, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, above = false }: NumberRules,
  ): number {
    const value = this.#value(name);
    if (value === undefined && fallback !== undefined) return fallback;
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    if (isNumber && (above ? value > min : value >= min) && value <= max) return value;
    const low = `${above ? 'above' : 'from'} ${min}`;
    const range = Number.isFinite(max) ? ` ${low} to ${max}` : ` ${low}`;
    this.fault(name, value === undefined ? `is missing; it is a number${range}` : `must be a number${range}`);
    return fallback ?? 0;
  }

  object(name: string): JsonObject {
    const value = this.#value(name);
    if (isObject(value)) return value as JsonObject;
    this.fault(name, value === undefined ? 'is missing' : 'must be an object');
    return {};
  }

  /** Faults for the fields that were not read, so that a misspelt one is noticed. */
  refuseOthers(known: readonly string[]): void {
    const others = Object.keys(this.given).filter((name) => !this.#read.has(name) && !known.includes(name));
    for (const name of others.slice(0, 5))
      this.fault(name.slice(0, 100), `is not known here; there are ${[...this.#read].join(', ')}`);
  }

  #value(name: string): unknown {
    this.#read.add(name);
    if (!Object.hasOwn(this.given, name)) return undefined;
    return this.given[name] ?? undefined;
  }
}
