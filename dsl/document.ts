import type { JsonObject } from '../lib/json';
import * as s from '../lib/schema';

const DurationText = s.named(
  'DurationText',
  s.union(s.text, s.number),
  '`500ms`, `30s`, `1h30m`, `7d`, or a number of seconds.',
);
export type DurationText = s.Infer<typeof DurationText>;

/** The shapes of back-off between attempts. */
export const BACKOFFS = ['fixed', 'linear', 'exponential'] as const;
export type Backoff = (typeof BACKOFFS)[number];

/** The effect of a failed step on the run, unless it has handlers. */
export const ON_ERROR = ['fail', 'continue'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** What a run does when no permit of its group is free. */
export const ON_CONFLICT = ['queue', 'skip', 'cancel_running'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

export const ConcurrencyDocument = s.named(
  'ConcurrencyDocument',
  s.object({
    key: s.text
      .optional()
      .about('Text with expressions; runs for whom it comes to the same text share the limit. Needed without a name.'),
    name: s.text.optional().about('Workflows with a limit of this name share its permits.'),
    limit: s.number.optional().about('1 to 1000 (1).'),
    on_conflict: s
      .words(...ON_CONFLICT)
      .optional()
      .about('`queue` (default): the run waits for its turn; `skip`: it ends; `cancel_running`: the older ones end.'),
  }),
  'How many runs of one key go on at a time, as users write it.',
);
export type ConcurrencyDocument = s.Infer<typeof ConcurrencyDocument>;

const RATE = {
  limit: s.number.about('Starts in any period, 1 to 1000.'),
  period: DurationText.about('1s to 30d.'),
  key: s.text.optional().about('Text with expressions; runs for whom it comes to the same text share the limit.'),
  name: s.text.optional().about('Workflows with a limit of this name share its starts.'),
} as const;

export const ThrottleDocument = s.named(
  'ThrottleDocument',
  s.object({
    ...RATE,
    burst: s.number.optional().about('How many of them may start at once; absent: the limit.'),
  }),
  'How often runs start, as users write it; the others wait.',
);
export type ThrottleDocument = s.Infer<typeof ThrottleDocument>;

export const RateLimitDocument = s.named(
  'RateLimitDocument',
  s.object(RATE),
  'How often runs start, as users write it; the others are refused.',
);
export type RateLimitDocument = s.Infer<typeof RateLimitDocument>;

const GATHERING = {
  period: DurationText.about('1s to 30d.'),
  key: s.text.optional().about('Text with expressions; starts for which it comes to the same text become one run.'),
} as const;

export const DebounceDocument = s.named(
  'DebounceDocument',
  s.object({
    ...GATHERING,
    max_wait: DurationText.optional().about('The longest time from the first start until the run begins (`30d`).'),
  }),
  'Starts that follow each other within the period become one run with the last trigger, as users write it.',
);
export type DebounceDocument = s.Infer<typeof DebounceDocument>;

export const BatchDocument = s.named(
  'BatchDocument',
  s.object({
    max_size: s.number.about('Starts of one run, 2 to 1000.'),
    ...GATHERING,
  }),
  'Starts within the period become one run with all their triggers, as users write it.',
);
export type BatchDocument = s.Infer<typeof BatchDocument>;

/** Limits of `throttle`, `rate_limit`, `debounce` and `batch`. */
export const FLOW_LIMITS = {
  limit: 1_000,
  minPeriodMs: 1_000,
  maxPeriodMs: 30 * 86_400_000,
  minBatch: 2,
  maxBatch: 1_000,
} as const;

export const RetryDocument = s.named(
  'RetryDocument',
  s.object({
    max_attempts: s.number.optional().about('Attempts in all, up to 100 (1).'),
    backoff: s
      .words(...BACKOFFS)
      .optional()
      .about('`fixed`, `linear` (grows by the first delay) or `exponential` (grows by the factor; the default).'),
    initial_interval: DurationText.optional().about('The first delay (`1s`).'),
    max_interval: DurationText.optional().about('The longest delay (`5m`).'),
    factor: s.number.optional().about('Growth of an exponential delay (2).'),
    jitter: s.number.optional().about('Share of the delay, 0 to 1, by which it is varied to both sides (0.2).'),
  }),
  'How a step is tried again, as users write it.',
);
export type RetryDocument = s.Infer<typeof RetryDocument>;

export const TriggerDocument = s.named(
  'TriggerDocument',
  s.object({
    type: s.text,
    config: s.jsonObject.optional(),
  }),
  'What starts a run, as users write it.',
);
export type TriggerDocument = s.Infer<typeof TriggerDocument>;

export const CacheDocument = s.named(
  'CacheDocument',
  s.object({
    ttl: DurationText,
    key: s.text.optional().about('Runs whose keys are equal share the output; without it, those whose input is.'),
  }),
  'How long an output counts for later runs, as users write it.',
);
export type CacheDocument = s.Infer<typeof CacheDocument>;

export const CaseDocument = s.named(
  'CaseDocument',
  s.object({
    when: s.union(s.boolean, s.text),
    steps: s.array(s.ref<StepDocument>('StepDocument')),
  }),
  'A condition and the steps for when it holds.',
);
export type CaseDocument = s.Infer<typeof CaseDocument>;

export const BranchDocument = s.named(
  'BranchDocument',
  s.object({
    id: s.text,
    steps: s.array(s.ref<StepDocument>('StepDocument')),
  }),
  'One of several lists of steps that run side by side.',
);
export type BranchDocument = s.Infer<typeof BranchDocument>;

export const StepDocument = s.named(
  'StepDocument',
  s.object({
    id: s.text.about('Once in a document; its output is `steps.<id>`.'),
    type: s.text.about('A node type, a type of steps that hold others, or an alias of one.'),
    name: s.text.optional().about('Text for people.'),
    config: s.jsonObject.optional().about('Settings of the node type; strings may hold expressions.'),
    needs: s.array(s.text).optional().about('Ids of steps of the same list.'),
    if: s.union(s.boolean, s.text).optional().about('One expression in braces, or a plain boolean.'),
    retry: RetryDocument.optional().about("Each member wins over the document's."),
    timeout: DurationText.optional().about('Longest time for one attempt; 60 s unless it, or the node type, says so.'),
    on_error: s
      .union(s.words(...ON_ERROR), s.array(s.ref<StepDocument>('StepDocument')))
      .optional()
      .about('What its failure means: `fail` (default), `continue`, or steps that run then.'),
    compensate: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Steps that undo this one.'),
    cache: s
      .union(DurationText, CacheDocument)
      .optional()
      .about('For how long later runs with the same input take its output instead of running it.'),
    pin: s.jsonObject.optional().about('The output that runs started by hand take instead of running it.'),
    cases: s.array(CaseDocument).optional().about('Of `branch`.'),
    else: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Of `branch`.'),
    branches: s.array(BranchDocument).optional().about('Of `parallel`.'),
    wait: s.union(s.words('all', 'any'), s.number).optional().about('Of `parallel`: for how many branches it waits.'),
    steps: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Of `foreach`, `while` and `try`.'),
    catch: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Of `try`.'),
    finally: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Of `try`.'),
  }),
  "One step, as users write it. Unknown keys that begin with `x_` and the canvas's own are kept beside these.",
);
export interface StepDocument extends s.Infer<typeof StepDocument> {}

export const WorkflowDocument = s.named(
  'WorkflowDocument',
  s.object({
    id: s.text.about('A letter, then up to 63 letters, digits, `_` or `-`.'),
    name: s.text.optional().about('Text for people.'),
    description: s.text.optional().about('Text for people.'),
    trigger: TriggerDocument.optional().about('One of `trigger` and `triggers` is there.'),
    triggers: s.array(TriggerDocument).optional(),
    steps: s.array(s.ref<StepDocument>('StepDocument')).about('They run in this order unless they say what they need.'),
    retry: RetryDocument.optional().about('How steps are tried again that do not say so themselves.'),
    timeout: DurationText.optional().about('Longest time for the whole run.'),
    on_error: s.array(s.ref<StepDocument>('StepDocument')).optional().about('Steps that run when the run fails.'),
    inputs: s.jsonObject.optional().about('A JSON Schema of what it is started with.'),
    concurrency: ConcurrencyDocument.optional().about('How many runs of one key go on at a time.'),
    throttle: ThrottleDocument.optional().about('How often runs start; the others wait.'),
    rate_limit: RateLimitDocument.optional().about('How often runs start; the others are refused.'),
    debounce: DebounceDocument.optional().about(
      'Starts that follow each other closely become one run, with the last trigger.',
    ),
    batch: BatchDocument.optional().about('Starts become one run, with all their triggers in `trigger.events`.'),
    priority: s
      .union(s.number, s.text)
      .optional()
      .about('Which of the waiting runs of the tenant goes first: 1 (last) to 5 (first), or an expression (3).'),
    labels: s
      .record(s.union(s.text, s.number, s.boolean))
      .optional()
      .about('Up to 16 values by name, evaluated when a run starts; runs are searched by them.'),
    output: s.json.optional(),
  }),
  'A workflow, as users write it; `validateDocument` has found no error in one of this type.',
);
export type WorkflowDocument = s.Infer<typeof WorkflowDocument>;

/** Names of documents and steps. */
export const ID_PATTERN = /^[A-Za-z][\w-]{0,63}$/;

/** Names of secrets. */
export const SECRET_PATTERN = /^[A-Za-z_]\w{0,127}$/;

/** The longest time for an attempt of a step, where neither it nor its type has one. */
export const DEFAULT_STEP_TIMEOUT_MS = 60_000;

/** Limits of the labels of a run. Characters of a value, and of its text in a document. */
export const LABEL_LIMITS = { count: 16, valueChars: 256, sourceChars: 4_096 } as const;

/** Limits of one document. */
export const LIMITS = {
  steps: 500,
  depth: 10,
  jsonDepth: 64,
  /** Characters of its JSON text, approximately. */
  text: 6 * 1024 * 1024,
  /** Number of JSON values. */
  values: 100_000,
  expressions: 5_000,
  /** Characters of all expressions, without the text around them. */
  expressionText: 256 * 1024,
  /** The same of one step. */
  stepExpressions: 2_000,
  stepExpressionText: 64 * 1024,
} as const;

/** A JSON Schema as node types carry it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A finding about a step's configuration that no schema can express; `path` is that of the member, as `source`. */
export interface ConfigFinding {
  readonly kind: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** The metadata of a node type that the language needs; entries of the registry fit. */
export interface NodeTypeInfo {
  readonly type: string;
  readonly version?: number;
  readonly kind: 'control' | 'work';
  readonly inputSchema: JsonSchema;
  readonly aliases?: readonly string[];
  /** Names of secrets that the node itself requests. */
  readonly secrets?: readonly string[];
  /** What a step with this configuration, its expressions unevaluated, may do outside. Absent: anything. */
  effect?(config: JsonObject): 'pure' | 'read' | 'write';
  /** Default timeout of an attempt. */
  readonly timeoutMs?: number;
  /** How it can be used as a trigger; `unresolved`: its definition does not exist yet. Absent: it cannot. */
  readonly trigger?: 'polled' | 'unresolved';
  /**
   * Further validation of a configuration with its expressions unevaluated; `known` returns true for names of step
   * types.
   */
  check?(config: JsonObject, known: (type: string) => boolean): readonly ConfigFinding[];
}

/** Node types by canonical name; aliases are in the entries. */
export type NodeTypes = ReadonlyMap<string, NodeTypeInfo>;
