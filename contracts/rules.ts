import type { Json, JsonObject } from '../lib/json';

/** A rule of fastest-validator for one param: its short form, or its options. */
type Rule = string | readonly Rule[] | { readonly type: string; readonly [option: string]: unknown };
/** Rules of an action's params, by name; `$$strict: 'remove'` is the default, false keeps what is not named. */
export type Rules = { readonly [name: string]: Rule | boolean };

declare const TYPE: unique symbol;
/** Rules whose type is another than what they say: `typed<RunCause>()({ type: 'object' })`, or of all params of an action. */
export const typed =
  <T>() =>
  <const R extends Rule | Rules>(rule: R): R & { readonly [TYPE]: T } =>
    rule as R & { readonly [TYPE]: T };

/** The type of the values that a rule lets through. */
type ValueOf<R> = R extends { readonly nullable: true } ? PlainOf<R> | null : PlainOf<R>;

type PlainOf<R> = R extends { readonly [TYPE]: infer T }
  ? T
  : R extends readonly (infer U)[]
    ? ValueOf<U>
    : R extends { readonly type: infer N }
      ? N extends 'enum'
        ? R extends { readonly values: readonly (infer V)[] }
          ? V
          : never
        : N extends 'equal'
          ? R extends { readonly value: infer V }
            ? V
            : never
          : N extends 'array'
            ? R extends { readonly items: infer I }
              ? ValueOf<I>[]
              : Json[]
            : N extends 'record'
              ? R extends { readonly value: infer V }
                ? Record<string, ValueOf<V>>
                : JsonObject
              : N extends 'object'
                ? R extends { readonly props: infer P }
                  ? ParamsOfRules<P>
                  : JsonObject
                : N extends 'multi'
                  ? R extends { readonly rules: readonly (infer U)[] }
                    ? ValueOf<U>
                    : never
                  : NamedOf<N>
      : NamedOf<R>;

type NamedOf<N> = N extends 'string' | 'uuid' | 'email'
  ? string
  : N extends 'number'
    ? number
    : N extends 'boolean'
      ? boolean
      : Json;

type OptionalNames<P> = { [K in keyof P]: P[K] extends { readonly optional: true } ? K : never }[keyof P];
type Names<P> = Exclude<keyof P, `$$${string}`>;

/** The params that rules let through. */
export type ParamsOfRules<P> = P extends { readonly [TYPE]: infer T }
  ? T
  : { -readonly [K in Exclude<Names<P>, OptionalNames<P>>]: ValueOf<P[K]> } & {
        -readonly [K in Extract<Names<P>, OptionalNames<P>>]?: ValueOf<P[K]>;
      } extends infer O
    ? { [K in keyof O]: O[K] }
    : never;

export const id = { type: 'string', min: 1, max: 100 } as const;

/** Deletes what workflows use, too. */
export const forceParam = { type: 'boolean', convert: true, optional: true } as const;

/** Params of the actions that answer which ids and names are not there. */
export const refsParams = { refs: { type: 'array', items: { type: 'string', max: 1_000 }, max: 200 } } as const;

/** Which cached answers are stale: ids and patterns of what has changed. */
export const staleParams = { patterns: { type: 'array', items: { type: 'string', max: 1_000 }, max: 1_000 } } as const;
