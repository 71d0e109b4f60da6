import type { Json, JsonObject } from '../lib/json';

/** A JSON Schema (draft 2020-12 subset that ajv understands). */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * What a step does to the world. `pure`: nothing, it may be computed again; `read`: asks, repeating it is harmless;
 * `write`: changes something outside. The journal is made durable before every `read` and `write`.
 */
export type Effect = 'pure' | 'read' | 'write';

/** What to do with a step that was in flight when its host died. `ask` waits for a person's decision. */
export type OnInterrupted = 'retry' | 'fail' | 'ask';

/** What went wrong in a step, as it is recorded and shown. `code` is a stable word. */
export interface StepError {
  code: string;
  message: string;
}

/** How a waiting step goes on when nobody answered in time. */
export type OnTimeout = { kind: 'complete'; output: JsonObject } | { kind: 'fail'; error: StepError };

/**
 * Why a step stops and gives its host free. `until` is an instant in epoch milliseconds, null for no limit.
 * A timer completes with `{}` merged over `output`; a signal completes with its data; an approval with the decision.
 */
export type WaitSpec =
  | { kind: 'timer'; until: number; output: JsonObject }
  | { kind: 'signal'; signal: string; until: number | null; onTimeout: OnTimeout }
  | { kind: 'approval'; message: string; approvers: string[]; form: Json; until: number | null; onTimeout: OnTimeout };

/** What became of one attempt of a step. Returned, never thrown: a thrown value is a retryable defect of the node. */
export type Outcome =
  | { kind: 'done'; output: JsonObject }
  | { kind: 'wait'; wait: WaitSpec }
  | { kind: 'fail'; error: StepError; retryable: boolean; retryAfterMs?: number }
  /** Starts a run of another workflow (an id or a name) of the same tenant and, with `wait`, goes on at its end. */
  | { kind: 'start_child'; workflow: string; input: JsonObject; wait: boolean }
  /** Ends the run here, completed with `output`. */
  | { kind: 'stop'; output: JsonObject }
  /** Ends the run here as failed, whatever the step's `on_error` says. */
  | { kind: 'stop'; error: StepError };

/** Outbound HTTP for nodes: addresses checked, size and time bounded. Throws EgressError (see lib/egress). */
export interface NodeHttp {
  request(request: {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array;
    timeoutMs?: number;
    maxBytes?: number;
    maxRedirects?: number;
    signal?: AbortSignal;
    /** Sent as `Idempotency-Key` with every method but GET and HEAD, unless the headers have one. */
    idempotencyKey?: string;
  }): Promise<{
    status: number;
    headers: Record<string, string | string[]>;
    body: Buffer;
    url: string;
    /** True when a redirect led from https to http. */
    downgraded?: boolean;
  }>;
}

/** Everything a node may touch while it runs one attempt of one step. Nothing else is reachable. */
export interface NodeContext {
  /** Resolved configuration: expressions evaluated, secrets in place, checked against the input schema. */
  readonly input: JsonObject;
  /** Aborts at cancel, time-out and shutdown; a node must settle within 100 ms of it. */
  readonly signal: AbortSignal;
  /** Stable across attempts of the same step of the same run. */
  readonly idempotencyKey: string;
  readonly attempt: number;
  /** Epoch milliseconds at which this attempt began. */
  readonly now: number;
  readonly http: NodeHttp;
  /** A line in the run's log; secrets are masked. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: Json): void;
  /** The same text with every secret value of the run replaced by `***`; for messages that quote the outside world. */
  mask(text: string): string;
}

/** A node type: data plus one function. Shared by all runs, so it holds no state. */
export interface NodeType {
  readonly type: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly aliases?: readonly string[];
  readonly effect: Effect | ((config: JsonObject) => Effect);
  readonly onInterrupted: OnInterrupted;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly tool?: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
  /** True when `run` returns without awaiting anything outside, so that it needs neither timer nor abort. */
  readonly immediate?: boolean;
  run(ctx: NodeContext): Promise<Outcome> | Outcome;
}
