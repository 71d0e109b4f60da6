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
  /** Format of the value. Absent: any text. */
  readonly format?: 'url' | 'host' | 'port' | 'email' | 'flag';
}

/** Authentication of a connector. */
interface ConnectorAuth {
  /** Accepts OAuth connections of this provider; the actions need these scopes. */
  readonly oauth?: { readonly provider: string; readonly scopes: readonly string[] };
  /** Fields of a manual connection. Empty: there are no manual connections. */
  readonly fields: readonly CredentialField[];
  /** False if actions work without a connection. */
  readonly required: boolean;
}

/** The account of a request. Credentials are stored as text. */
export interface Account {
  readonly credentials: Readonly<Record<string, string>>;
}

type QueryValue = string | number | boolean | null | undefined;

/** A request to the API of a provider. */
export interface ConnectorRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Relative to the base URL if it begins with `/`, else absolute. Build it with `urlPath`, which encodes ids. */
  readonly url: string;
  /** Null and undefined are omitted; a list repeats the parameter. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects and lists are sent as JSON, or as a form with `form`; text and bytes are sent unchanged. */
  readonly body?: Json | Uint8Array | undefined;
  /** Sends the members of the body as `application/x-www-form-urlencoded`. */
  readonly form?: boolean;
  /** Sends no credentials, for links from a response. */
  readonly anonymous?: boolean;
}

/** A response with its body parsed: JSON, text for another content type, null if it is empty. */
export interface ConnectorResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The body before parsing. */
  readonly bytes: Uint8Array;
}

/** An error of the provider. */
export interface ConnectorFault {
  /** Stable. The code of the provider if it has one, such as `channel_not_found`. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** The access token was rejected: a refreshed one may be accepted. */
  readonly tokenRefused?: boolean;
}

/** Pagination. */
export interface Pages {
  /** The items of a page. */
  items(response: ConnectorResponse): readonly Json[];
  /** The request of the next page; null after the last. */
  next(response: ConnectorResponse, request: ConnectorRequest): ConnectorRequest | null;
}

/** Members of all actions. */
interface ActionBase {
  /** `^[a-z][a-z0-9_]*$`; the step type is `<connector>.<name>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: 'read' | 'write';
  /** Idempotent: by nature, or because the provider supports idempotency keys. */
  readonly repeatable: boolean;
  /** Properties of the input. `connection` is added, and `limit` for paged actions. */
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Schema of the output; of one item for a paged action. */
  readonly output: JsonSchema;
}

/** Further arguments for building a request. */
interface RequestContext {
  /** Stable across attempts. */
  readonly idempotencyKey: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An action that is one HTTP exchange, as two pure functions: build the request, read the response. */
export interface HttpAction extends ActionBase {
  readonly kind: 'http';
  request(input: JsonObject, account: Account, world: RequestContext): ConnectorRequest;
  /** The output, from a successful response. Default: the body, or `{result: body}` if it is not an object. */
  read?(response: ConnectorResponse, input: JsonObject): JsonObject;
  /** With pages, the output is `{items, count, more}` and `read` is not used. */
  readonly pages?: Pages;
}

/** The result of a request: a successful response, or the failure of the step. */
export type SendResult =
  | { readonly kind: 'response'; readonly response: ConnectorResponse }
  | { readonly kind: 'failed'; readonly outcome: Extract<Outcome, { kind: 'fail' }> };

/** Sends a request with the credentials of the account. A rejected access token is refreshed once. */
export type Send = (request: ConnectorRequest) => Promise<SendResult>;

/** The part of the node context that actions use. */
export interface ActionContext
  extends Pick<NodeContext, 'signal' | 'idempotencyKey' | 'keyOf' | 'now' | 'http' | 'log' | 'redact'> {
  readonly capabilities: Pick<NodeCapabilities, 'net' | 'connectorUrls' | 'compute'>;
  /** The workspace of the run. Null outside a run, as in a connection test. */
  readonly files: NodeFiles | null;
}

/** An action that is not a single HTTP exchange. It may throw InvalidInputError. */
export interface CodeAction extends ActionBase {
  readonly kind: 'code';
  run(input: JsonObject, account: Account, ctx: ActionContext, send: Send): Promise<Outcome>;
}

export type ConnectorAction = HttpAction | CodeAction;

/** A connector: metadata and pure functions. Each is a folder of `nodes/connectors`. */
export interface Connector {
  /** `^[a-z][a-z0-9-]*$` */
  readonly name: string;
  /** Names that workflows and requests may use instead, such as `slack` for `chat`. */
  readonly aliases?: readonly string[];
  /** Name of the product. */
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  /** URL of the API documentation. */
  readonly docs: string;
  readonly auth: ConnectorAuth;
  /** Base URL of the API. The setting `CONNECTOR_<NAME>_URL` replaces it (`CONNECTOR_SUITE_MAIL_URL` for `suite-mail`). */
  base(account: Account): string;
  /** Adds the credentials, and headers of every request. Pure. */
  sign(request: ConnectorRequest, account: Account): ConnectorRequest;
  /** The error in a response, or null. Default: by its status. */
  fault?(response: ConnectorResponse): ConnectorFault | null;
  /** The read action that tests credentials. */
  readonly connectionTest?: { readonly action: string; readonly input: JsonObject };
  readonly actions: readonly ConnectorAction[];
}
