import type { Socket } from 'node:net';
import type { ConfigFinding } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { Sandbox } from '../../lib/sandbox';
import type { MailAddress } from '../../lib/mail-address';
import type { SmtpServer } from '../../lib/smtp-url';
import type { LlmProvider, PlatformModel, Price } from '../../lib/llm';
import type { Connected, ConnectionWanted, NodeFiles, NodeKnowledge, NodeSkills } from './belongings';

export type * from './belongings';

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

/** What a step used of paid things. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_usd?: number;
}

/**
 * What became of one attempt of a step. Returned, never thrown: a thrown value is a retryable defect of the node.
 * A wait, or a child, with a `note` does not complete the step: its end is noted under that key, and the step runs
 * again, where `once` of the same key answers it (see NoteOfEnd).
 */
export type Outcome =
  | { kind: 'done'; output: JsonObject; usage?: Usage }
  | { kind: 'wait'; wait: WaitSpec; note?: string }
  | { kind: 'fail'; error: StepError; retryable: boolean; retryAfterMs?: number; usage?: Usage }
  /** Starts a run of another workflow (an id or a name) of the same tenant and, with `wait`, goes on at its end. */
  | { kind: 'start_child'; workflow: string; input: JsonObject; wait: boolean; note?: string }
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
    /** Shown a success as it comes, unless it is packed. */
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

/** What is noted at the end of a wait, or of a child, that a step asked for with a `note`. */
export type NoteOfEnd = { ok: true; output: JsonObject } | { ok: false; error: { code: string; message: string } };

/** What a part of a step came to: recorded as it is, but for secrets. */
export interface Noted {
  readonly value: Json;
  readonly usage?: Usage;
}

/** Connections to other machines, with the addresses checked as those of HTTP are. Throws EgressError (see lib/egress). */
export interface NodeNet {
  /** A connected socket, without TLS. The signal also ends it later, so an aborted step leaves nothing open. */
  connect(to: { host: string; port: number; timeoutMs: number; signal: AbortSignal }): Promise<Socket>;
}

/** The installation's own mail server. */
export interface PlatformMail {
  readonly server: SmtpServer;
  /** Whom its mails are from: steps cannot choose. */
  readonly from: MailAddress;
  /** Reaches that server, which the operator has named, wherever it stands. */
  readonly net: NodeNet;
}

/** The installation's language models. */
export interface NodeModels {
  /** Its own access to a provider; null when it has none. */
  readonly platform: (provider: LlmProvider) => PlatformModel | null;
  /** The way to those: the operator has named them, so they may stand where steps cannot reach. */
  readonly http: NodeHttp;
  readonly prices: readonly Price[];
  /** Told what each answer has used, for the figures of the process. */
  readonly onSpent?: (use: ModelUse) => void;
}

/** What one answer of a model has used. */
export interface ModelUse {
  readonly provider: LlmProvider;
  /** As price lists name it; null when none does. */
  readonly listedAs: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** What a step says as it comes, to those who watch the run now. Nothing of it is recorded, and any of it may be lost. */
export interface Voice {
  /** The next piece of the text; secrets are masked, also where they are said in pieces. */
  say(text: string): void;
  /** What was said so far does not count: the text begins anew. */
  restart(): void;
}

/** What the process lends to nodes that need more than HTTP. */
export interface NodeMeans {
  readonly sandbox: Sandbox;
  readonly net: NodeNet;
  readonly models: NodeModels;
  /** Where the operator says that a connector's API is; absent: where it is known to be. */
  readonly connectorUrls: ReadonlyMap<string, string>;
  /** For steps that name no mail server of their own; null when the installation has none. */
  readonly mail: PlatformMail | null;
}

/** The rest of the run, for nodes that compute with it: real values, to be read only. */
export interface NodeRun {
  readonly trigger: JsonObject;
  /** Outputs of earlier steps, by id. */
  readonly steps: JsonObject;
  readonly loop: Json;
}

/** A signal that a step sends: to one run of its tenant, or else to every workflow that a signal of this name starts. */
export interface EmittedSignal {
  readonly executionId?: string;
  readonly signal: string;
  readonly data: JsonObject;
}

/** What became of a signal. `refused`: it was not sent, and surely will not be, unless it may be tried again. */
export type Emitted =
  | {
      readonly kind: 'sent';
      readonly started: readonly { readonly workflow_id: string; readonly execution_id: string }[];
      /** Workflows that cannot be started now. */
      readonly refused: readonly { readonly workflow_id: string; readonly code: string; readonly message: string }[];
    }
  | { readonly kind: 'refused'; readonly error: StepError; readonly retryable: boolean };

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
  readonly means: NodeMeans;
  run(): NodeRun;
  /**
   * Does a part of the step once: what `act` answers is recorded before it is returned, and later attempts, on any
   * host, get the record. `key` is unique in the step. When a record says that it began, and none how it ended,
   * `interrupted` is asked what counts instead; without it the part is done again. What `act` throws is not recorded.
   */
  once(key: string, act: () => Promise<Noted>, interrupted?: () => Noted): Promise<Json>;
  /** What is on record for a part; undefined when there is nothing. */
  noted(key: string): Json | undefined;
  /** As `idempotencyKey`, for a part of the step. */
  keyOf(part: string): string;
  /** A node type, or custom node of the tenant, by name or alias; undefined when there is none. */
  nodeType(type: string): Promise<NodeType | undefined>;
  /** Values of secrets, masked from now on wherever they show. Throws when there is none of a name. */
  secrets(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /**
   * A connection by its id or name, with credentials that count now; they are masked from now on wherever they show. Waits
   * while nobody can tell.
   */
  connection(ref: string, wanted: ConnectionWanted): Promise<Connected>;
  readonly files: NodeFiles;
  readonly skills: NodeSkills;
  readonly knowledge: NodeKnowledge;
  /** The same context for a part of this step that another node type does. */
  within(part: string, input: JsonObject): NodeContext;
  /** Sends a signal, once for this step or part of it, however often it is asked for; secrets are masked. */
  emit(signal: EmittedSignal): Promise<Emitted>;
  /**
   * Where to say a text while it is being made. Null where nobody watches, and for steps whose text is not what the run
   * has to say (see runtime/rules/speaks): then making it in pieces is not worth its cost.
   */
  readonly voice: Voice | null;
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
  /** Names of the secrets that it asks for itself, whatever the configuration of the step holds. */
  readonly secrets?: readonly string[];
  /**
   * Connectors and OAuth providers of the connection that `input.connection` names: it is looked up before an effect is
   * announced, so that a run can wait for it elsewhere.
   */
  readonly connections?: readonly string[];
  /** True where a step that names none uses the only one that fits, which is then looked up just so. */
  readonly needsConnection?: boolean;
  /** True when `run` returns without awaiting anything outside, so that it needs neither timer nor abort. */
  readonly immediate?: boolean;
  /**
   * What else is wrong with a configuration as it is written, expressions and all, when a workflow is saved. `known`
   * tells names of step types, aliases and those of the tenant too.
   */
  check?(config: JsonObject, known: (type: string) => boolean): readonly ConfigFinding[];
  /** How long an attempt may take where the step does not say; absent: what the language says. */
  readonly timeoutMs?: number;
  run(ctx: NodeContext): Promise<Outcome> | Outcome;
}
