/** A name or a value of a query with its position. */
export interface NameToken {
  readonly name: string;
  readonly at: number;
}

export type Value = { readonly at: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  /** A duration as text. */
  | { readonly kind: 'span'; readonly text: string }
  /** The current time plus an offset in milliseconds. */
  | { readonly kind: 'now'; readonly offsetMs: number }
);

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A condition of a query. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | { readonly kind: 'compare'; readonly field: NameToken; readonly op: Comparison; readonly value: Value }
  | { readonly kind: 'in'; readonly field: NameToken; readonly values: readonly Value[] }
  | { readonly kind: 'between'; readonly field: NameToken; readonly from: Value; readonly to: Value }
  | { readonly kind: 'starts_with'; readonly field: NameToken; readonly prefix: Value }
  | { readonly kind: 'null'; readonly field: NameToken };

export interface Order {
  readonly field: NameToken;
  readonly direction: 1 | -1;
}

/** A parsed query. `where`: null without conditions. */
export interface Query {
  readonly where: Condition | null;
  readonly orderBy: readonly Order[];
}
