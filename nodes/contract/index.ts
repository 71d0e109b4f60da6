import type { Socket } from 'node:net';
import type { ConfigFinding } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { Clients } from '../../lib/client-pool';
import type { Compute } from '../../lib/compute';
import type { Sandbox } from '../../lib/sandbox';
import type { MailAddress } from '../../lib/mail-address';
import type { SmtpServer } from '../../lib/smtp-url';
import type { LlmProvider, PlatformModel, Price } from '../../lib/llm';
import type { ConnectionResult, ConnectionRequest, NodeFiles, NodeKnowledge, NodeSkills } from './resources';
import type { Category } from './category';

export { CATEGORIES, type Category } from './category';

export type * from './resources';

/** A JSON Schema (draft 2020-12 subset that ajv understands). */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * Side effects of a step. `pure`: none, it may be computed again; `read`: a request that is harmless to repeat;
 * `write`: changes something outside. The journal is durable before every `read` and `write`.
 */
export type Effect = 'pure' | 'read' | 'write';

/** Recovery policy for a step that was in flight when its host died. `ask` waits for a decision by a person. */
export type OnInterrupted = 'retry' | 'fail' | 'ask';

/** The error of a step, as recorded and shown. `code` is stable. */
export interface StepError {
  code: string;
  message: string;
}

/** How a waiting step continues when its wait times out. */
export type OnTimeout = { kind: 'complete'; output: JsonObject } | { kind: 'fail'; error: StepError };

/**
 * What a step waits for; the run leaves memory meanwhile. `until` is an instant in epoch milliseconds, null for no
 * limit. A timer completes with `output`; a signal with its data; an approval with the decision; a form with its values.
 */
export type WaitSpec =
  | { kind: 'timer'; until: number; output: JsonObject }
  | { kind: 'signal'; signal: string; until: number | null; onTimeout: OnTimeout }
  | { kind: 'approval'; message: string; approvers: string[]; form: Json; until: number | null; onTimeout: OnTimeout }
  | {
      kind: 'form';
      /** Texts of the page; empty: its defaults. */
      title: string;
      description: string;
      submit: string;
      /** `page`: also the next page of the person who sent the form before; `link`: only its link opens it. */
      access: 'page' | 'link';
      /** JSON Schema of the fields. */
      form: Json;
      until: number | null;
      onTimeout: OnTimeout;
    };

/** Metered usage of a step. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_usd?: number;
}

/**
 * The outcome of one attempt of a step. Returned, never thrown: a thrown value is a retryable defect of the node. A
 * wait or a child with `note` does not complete the step: its result is recorded as the checkpoint of that key, and the
 * step runs again, where `once` with the same key returns it (see CheckpointedResult).
 */
export type Outcome =
  | { kind: 'done'; output: JsonObject; usage?: Usage }
  | { kind: 'wait'; wait: WaitSpec; note?: string }
  | { kind: 'fail'; error: StepError; retryable: boolean; retryAfterMs?: number; usage?: Usage }
  /** Starts a run of another workflow (by id or name) of the tenant. With `wait`, the step completes with its end. */
  | { kind: 'start_child'; workflow: string; input: JsonObject; wait: boolean; note?: string }
  /** Ends the run as completed with `output`. */
  | { kind: 'stop'; output: JsonObject }
  /** Ends the run as failed, regardless of `on_error`. */
  | { kind: 'stop'; error: StepError };

/** Outbound HTTP for nodes, with address checks and limits for size and time. Throws EgressError (see lib/egress). */
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
    /** Called with each part of the body of a successful response, unless it is compressed. */
    onPart?: (head: { status: number; headers: Record<string, string | string[]> }, part: Buffer) => void;
  }): Promise<{
    status: number;
    headers: Record<string, string | string[]>;
    body: Buffer;
    url: string;
    /** True when a redirect led from https to http. */
    downgraded?: boolean;
  }>;
}

/** The recorded result of a wait or a child with a `note`. */
export type CheckpointedResult =
  | { ok: true; output: JsonObject }
  | { ok: false; error: { code: string; message: string } };

/** The result of a memoized sub-step. Recorded with secrets replaced by placeholders. */
export interface SubStepResult {
  readonly value: Json;
  readonly usage?: Usage;
}

/** TCP connections, with the same address checks as HTTP. Throws EgressError (see lib/egress). */
export interface NodeNet {
  /** A connected socket, without TLS. The signal also closes it later, so an aborted step leaves nothing open. */
  connect(to: { host: string; port: number; timeoutMs: number; signal: AbortSignal }): Promise<Socket>;
  /** A pool of logged-in clients that later steps of the tenant reuse. Absent: each use opens its own. */
  readonly clients?: Clients;
}

/** The installation's own mail server. */
export interface PlatformMail {
  readonly server: SmtpServer;
  /** The sender address; steps cannot change it. */
  readonly from: MailAddress;
  /** Connects to that server. The operator has configured it, so it may be on a private network. */
  readonly net: NodeNet;
}

/** The installation's language models. */
interface NodeModels {
  /** The installation's access to a provider; null when it has none. */
  readonly platform: (provider: LlmProvider) => PlatformModel | null;
  /** HTTP to those models. The operator has configured them, so they may be on a private network. */
  readonly http: NodeHttp;
  readonly prices: readonly Price[];
  /** Called with the usage of each response, for metrics. */
  readonly onSpent?: (use: ModelUse) => void;
}

/** The usage of one model response. */
export interface ModelUse {
  readonly provider: LlmProvider;
  /** The name in the price list; null when it is not listed. */
  readonly listedAs: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** Live output of a step for subscribers of the run. It is not recorded, and parts may be lost. */
export interface StepStream {
  /** Sends the next part of the text. Secrets are redacted, also when they are split over several parts. */
  write(text: string): void;
  /** Discards the text so far: it starts again. */
  reset(): void;
}

/** Capabilities of the process for nodes that need more than HTTP. */
export interface NodeCapabilities {
  readonly sandbox: Sandbox;
  /** A thread pool for CPU-bound work. */
  readonly compute: Compute;
  readonly net: NodeNet;
  readonly models: NodeModels;
  /** Base URLs of connector APIs that the operator overrides. */
  readonly connectorUrls: ReadonlyMap<string, string>;
  /** The default mail server; null when the installation has none. */
  readonly mail: PlatformMail | null;
}

/** The data of the run, for nodes that compute with it. Contains secret values; read-only. */
export interface NodeRun {
  readonly trigger: JsonObject;
  /** Outputs of earlier steps, by id. */
  readonly steps: JsonObject;
  readonly loop: Json;
}

/** A signal that a step sends: to one run of the tenant, or to every workflow with a trigger for this name. */
export interface EmittedSignal {
  readonly executionId?: string;
  readonly signal: string;
  readonly data: JsonObject;
}

/** The result of sending a signal. `refused`: it was not sent; when it is not retryable, it never will be. */
export type EmitResult =
  | {
      readonly kind: 'sent';
      readonly started: readonly { readonly workflow_id: string; readonly execution_id: string }[];
      /** Workflows that could not be started. */
      readonly refused: readonly { readonly workflow_id: string; readonly code: string; readonly message: string }[];
    }
  | { readonly kind: 'refused'; readonly error: StepError; readonly retryable: boolean };

/** Everything that a node can use during one attempt of one step. */
export interface NodeContext {
  /** Resolved configuration: expressions evaluated, secrets inserted, validated by the input schema. */
  readonly input: JsonObject;
  /** Aborted on cancellation, timeout and shutdown; a node must settle within 100 ms. */
  readonly signal: AbortSignal;
  /** The same for all attempts of the step in this run. */
  readonly idempotencyKey: string;
  readonly attempt: number;
  /** Start of this attempt in epoch milliseconds. */
  readonly now: number;
  readonly http: NodeHttp;
  readonly capabilities: NodeCapabilities;
  run(): NodeRun;
  /**
   * Runs a memoized sub-step: the result of `act` is recorded before it is returned, and later attempts, on any host,
   * get the recorded result. `key` is unique within the step. When a record says that the sub-step began but not how it
   * ended, `interrupted` provides the result; without it `act` runs again. What `act` throws is not recorded.
   */
  once(key: string, act: () => Promise<SubStepResult>, interrupted?: () => SubStepResult): Promise<Json>;
  /** The recorded result of a sub-step; undefined when there is none. */
  checkpoint(key: string): Json | undefined;
  /** As `idempotencyKey`, for a sub-step. */
  keyOf(part: string): string;
  /** A node type or custom node of the tenant by name or alias; undefined when there is none. */
  nodeType(type: string): Promise<NodeType | undefined>;
  /** Values of secrets. They are redacted from now on. Throws when one does not exist. */
  secrets(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /**
   * A connection by id or name, with currently valid credentials, which are redacted from now on. Waits while the
   * connection service is unavailable.
   */
  connection(ref: string, wanted: ConnectionRequest): Promise<ConnectionResult>;
  readonly files: NodeFiles;
  readonly skills: NodeSkills;
  readonly knowledge: NodeKnowledge;
  /** The context for a sub-step that another node type performs. */
  within(part: string, input: JsonObject): NodeContext;
  /** Sends a signal. Repeated calls by the same step or sub-step send it once. Secrets are redacted. */
  emit(signal: EmittedSignal): Promise<EmitResult>;
  /**
   * The live output of this step. Null without subscribers, and for steps whose text is not the output of the run (see
   * runtime/core/decide/streams-run-output): then streaming is not worth its cost.
   */
  readonly stream: StepStream | null;
  /** Writes a line to the run's log, with secrets redacted. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: Json): void;
  /** Replaces every secret value of the run by `***`; for messages that quote text from outside. */
  redact(text: string): string;
}

/** A node type: metadata and one function. It is shared by all runs and must not hold state. */
export interface NodeType {
  readonly type: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  readonly aliases?: readonly string[];
  readonly effect: Effect | ((config: JsonObject) => Effect);
  readonly onInterrupted: OnInterrupted;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly tool?: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
  /** Names of secrets that the node itself requests, in addition to those of the configuration. */
  readonly secrets?: readonly string[];
  /**
   * Accepted providers of the connection named by `input.connection`. The lookup precedes the intent of the effect, so
   * that a run can wait for it on another host.
   */
  readonly connections?: readonly string[];
  /** True when a step without a connection uses the only one that fits. */
  readonly needsConnection?: boolean;
  /**
   * Further validation of a configuration when a workflow is saved, with its expressions unevaluated. `known` returns
   * true for names and aliases of step types, custom ones included.
   */
  check?(config: JsonObject, known: (type: string) => boolean): readonly ConfigFinding[];
  /** Default timeout of an attempt. Absent: the default of the language. */
  readonly timeoutMs?: number;
  run(ctx: NodeContext): Promise<Outcome> | Outcome;
}
