import type { Json, JsonObject } from '../../../lib/json';

/** A metric of an evaluation. `value` and `expected` are expressions of what is compared. */
export type Metric = MetricCommon & MetricKind;

interface MetricCommon {
  readonly name: string;
  /** The lowest score that passes. */
  readonly threshold: number;
  readonly value: string;
  readonly expected: string;
}

type MetricKind =
  | { readonly type: 'equals' }
  | { readonly type: 'contains'; readonly ignore_case: boolean }
  | { readonly type: 'number'; readonly tolerance: number; readonly relative: boolean }
  | { readonly type: 'subset' }
  | { readonly type: 'schema'; readonly schema: JsonObject }
  | { readonly type: 'expression'; readonly expression: string }
  | { readonly type: 'code'; readonly source: string; readonly timeout_ms: number }
  | JudgeKind
  | { readonly type: 'latency'; readonly max_ms: number }
  | { readonly type: 'tokens'; readonly max: number }
  | { readonly type: 'cost'; readonly max_usd: number };

interface JudgeKind {
  readonly type: 'judge';
  readonly rubric: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly api_key: string | null;
  readonly base_url: string | null;
  readonly max_tokens: number;
}

export type MetricOf<T extends Metric['type']> = MetricCommon & Extract<MetricKind, { readonly type: T }>;

export const METRIC_TYPES = [
  'equals',
  'contains',
  'number',
  'subset',
  'schema',
  'expression',
  'code',
  'judge',
  'latency',
  'tokens',
  'cost',
] as const satisfies readonly Metric['type'][];

/** The names of expressions and scripts. */
export const SUBJECT_NAMES = ['input', 'expected', 'output', 'run'] as const;

/** What a metric sees of a row. `expected` is undefined where nothing is expected. */
export interface Subject {
  readonly input: Json;
  readonly expected: Json | undefined;
  readonly output: Json;
  readonly run: RunFacts;
}

/** What is known of the run of a row. */
export type RunFacts = {
  readonly status: string;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly tokens: number;
  readonly cost_usd: number;
};
