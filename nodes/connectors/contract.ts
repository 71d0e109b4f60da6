import type { Json, JsonObject } from '../../lib/json';
import type { Category, JsonSchema, NodeContext, NodeFiles, NodeCapabilities, Outcome } from '../contract';

/** A field of a manual connection. */
export interface CredentialField {
  /** `^[a-z][a-z0-9_]*$` */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Never shown again. */
  readonly secret: boolean;
  readonly required: boolean;
  readonly default?: string;
  readonly example?: string;
  /** What the text must be; absent: any text. */
  readonly format?: 'url' | 'host' | 'port' | 'email' | 'flag';
}

/** How people let a connector act for them. */
interface ConnectorAuth {
  /** OAuth connections of this provider will do. `scopes`: what actions of this connector ask of it. */
  readonly oauth?: { readonly provider: string; readonly scopes: readonly string[] };
  /** Fields of a manual connection; empty where there are none to be had. */
  readonly fields: readonly CredentialField[];
  /** False where actions may do without a connection. */
  readonly required: boolean;
}

/** Whose credentials a request is made with; values are texts, whatever they were given as. */
export interface Account {
  readonly credentials: Readonly<Record<string, string>>;
}

type QueryValue = string | number | boolean | null | undefined;

/** A request as the provider's documentation writes it. */
export interface ConnectorRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Under the connector's base when it begins with `/`; else a whole URL. Made with `path` so that ids cannot leave it. */
  readonly url: string;
  /** Null and undefined are left out; lists are repeated. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object or list goes as JSON, unless `form`; text and bytes as they are, with a `content-type` header. */
  readonly body?: Json | Uint8Array | undefined;
  /** The body's members as `application/x-www-form-urlencoded`. */
  readonly form?: boolean;
  /** Without the account's credentials: for a link that an answer gave. */
  readonly anonymous?: boolean;
}

/** An answer with its body read: JSON where it is JSON, else text; null for an empty one. */
export interface ConnectorAnswer {
  readonly status: number;
  /** Lower-case names; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The very bytes. */
  readonly bytes: Uint8Array;
}

/** What is wrong with an answer, in the provider's own words. */
export interface ConnectorFault {
  /** A stable word: the provider's where it has one, such as `channel_not_found`. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** The access token is the reason: another one may do. */
  readonly tokenRefused?: boolean;
}

/** How an answer of several pages goes on. */
export interface Pages {
  /** The list in a page. */
  items(answer: ConnectorAnswer): readonly Json[];
  /** The request of the next page; null after the last. */
  next(answer: ConnectorAnswer, request: ConnectorRequest): ConnectorRequest | null;
}

/** What is the same in all actions. */
interface ActionLine {
  /** `^[a-z][a-z0-9_]*$`; the step type is `<connector>.<name>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: 'read' | 'write';
  /** Doing it twice does no more than doing it once: by its nature, or because the provider knows idempotency keys. */
  readonly repeatable: boolean;
  /** Members of the step's configuration, beside `connection`. Paged actions get `limit` as well. */
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** What it gives; of a paged action, one item. */
  readonly output: JsonSchema;
}

/** What a request may be made of, beside input and account. */
interface RequestWorld {
  /** Stable across attempts. */
  readonly idempotencyKey: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An action in two halves: build the request, judge the answer. Both pure. */
export interface HttpAction extends ActionLine {
  readonly kind: 'http';
  request(input: JsonObject, account: Account, world: RequestWorld): ConnectorRequest;
  /** The step's output, from an answer without fault; absent: the body, or `{result: body}` where it is no object. */
  read?(answer: ConnectorAnswer, input: JsonObject): JsonObject;
  /** Then the output is `{items, count, more}`; `read` is not asked. */
  readonly pages?: Pages;
}

/** What became of a request: an answer without fault, or how the step ends. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: ConnectorAnswer }
  | { readonly kind: 'failed'; readonly outcome: Extract<Outcome, { kind: 'fail' }> };

/** Sends a request with the account's credentials, which are renewed once where the provider refuses them. */
export type Send = (request: ConnectorRequest) => Promise<Sent>;

/** What an action may touch of the world: a part of what a step may. */
export interface ActionContext
  extends Pick<NodeContext, 'signal' | 'idempotencyKey' | 'keyOf' | 'now' | 'http' | 'log' | 'redact'> {
  readonly capabilities: Pick<NodeCapabilities, 'net' | 'connectorUrls' | 'compute'>;
  /** The workspace of the run; null where there is no run. */
  readonly files: NodeFiles | null;
}

/** An action that is no single exchange of HTTP. What it throws as `Unusable` is the author's mistake. */
export interface CodeAction extends ActionLine {
  readonly kind: 'code';
  run(input: JsonObject, account: Account, ctx: ActionContext, send: Send): Promise<Outcome>;
}

export type ConnectorAction = HttpAction | CodeAction;

/** A provider: data, and small pure halves. A folder of `nodes/connectors` each. */
export interface Connector {
  /** `^[a-z][a-z0-9-]*$` */
  readonly name: string;
  /** Names of the product that documents and requests may use instead, such as `slack` for `chat`. */
  readonly aliases?: readonly string[];
  /** The product's own name. */
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  /** The provider's documentation of its API. */
  readonly docs: string;
  readonly auth: ConnectorAuth;
  /** Where its API is. `CONNECTOR_<NAME>_URL` of the operator counts instead (`suite-mail`: `CONNECTOR_SUITE_MAIL_URL`). */
  base(account: Account): string;
  /** The request with the account's credentials in it, and what all requests carry. Pure. */
  sign(request: ConnectorRequest, account: Account): ConnectorRequest;
  /** What is wrong with an answer; null where nothing is. Absent: by its status alone. */
  fault?(answer: ConnectorAnswer): ConnectorFault | null;
  /** A reading action that shows whether credentials count. */
  readonly probe?: { readonly action: string; readonly input: JsonObject };
  readonly actions: readonly ConnectorAction[];
}
