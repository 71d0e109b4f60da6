import type { MessagingChannel } from '../../../lib/messaging-config';
import type { Role } from '../../../lib/roles';
import { type ActionName, ACTIONS, type ParamsOf, type ResultOf } from '../../../contracts/catalogue';
import type { GatewayParam, Method } from '../../../contracts/contract';
import type { BrowserStep, BrowserVisit } from '../../../contracts/auth/sso';
import type { ProviderDelivery } from '../../../contracts/channels/views';
import { type Answer } from '../http/answer';

interface Line {
  readonly method: Method;
  /** Segments that begin with a colon are variable; their names are the action's params. `:name*` takes all that is left. */
  readonly path: string;
  /** `public` needs no credential. The weighing of roles is the action's. `operator`: hidden from everyone else. */
  readonly access: 'public' | 'operator' | Role;
  readonly summary: string;
}

/** One action behind one method and path: JSON in, JSON out. */
export interface JsonRoute<A extends ActionName = ActionName> extends Line {
  readonly kind: 'json';
  readonly action: A;
  readonly status: 200 | 201 | 202 | 204;
  /** Takes `limit` and `offset`; a catalogue is answered as a whole where the request names no limit. */
  readonly paged: boolean | 'catalogue';
  /** What an Idempotency-Key does: nothing, replay of the stored answer, or the action sees to it itself. */
  readonly idempotency: 'none' | 'replay' | 'action';
  /** The param that is the whole body; null: path over query (GET, DELETE), or path over body (POST, PUT). */
  readonly body: string | null;
  /** Params that a word of the path has fixed. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Params that are not the client's to choose. */
  readonly given: readonly GatewayParam[];
  /** Params that a route with a body takes from the query. */
  readonly query: readonly string[];
  /** Where the answer is not simply `status` and the result. */
  readonly answer: ((result: ResultOf<A>) => Partial<Answer>) | null;
  /** A list by cursor that is also to be had as one file, with all that it has. */
  readonly file: ListFile<A> | null;
}

/** A list as one file: comma-separated values, or the rows as lines of JSON. `name`: what it is called, before the day. */
export type ListFile<A extends ActionName = ActionName> =
  | CsvFile<A>
  | { readonly kind: 'jsonl'; readonly name: string };

/** How a list looks as comma-separated values. */
interface CsvFile<A extends ActionName> {
  readonly kind: 'csv';
  readonly name: string;
  readonly columns: readonly string[];
  readonly row: (row: RowOf<ResultOf<A>>) => Readonly<Record<string, unknown>>;
}

type RowOf<R> = R extends { data: (infer T)[] } ? T : never;

/** A request for a workflow, handed on whole. `run` takes a workflow key, `sync` waits for the run's end. */
export interface WebhookRoute extends Line {
  readonly kind: 'webhook';
  readonly mode: 'webhook' | 'sync' | 'run';
}

/** Actions that take a provider's event as it came. */
type ProviderAction = {
  [A in ActionName]: ParamsOf<A> extends ProviderDelivery ? A : never;
}[ActionName];

/** Events of a provider, handed on as the very bytes that its signature covers. Checking that is the action's. */
export interface ProviderWebhookRoute extends Line {
  readonly kind: 'provider webhook';
  readonly action: ProviderAction;
}

/** Requests of a messaging provider for a workflow, handed on as they came: GET verifies the address, POST brings messages. */
export interface MessagingRoute extends Line {
  readonly kind: 'messaging';
  readonly channel: MessagingChannel;
}

/** Server-sent events of a run. */
export interface StreamRoute extends Line {
  readonly kind: 'stream';
  readonly audience: 'tenant' | 'public';
}

/** Server-sent events of the caller's tenant. */
export interface TenantStreamRoute extends Line {
  readonly kind: 'tenant stream';
}

/** The content of a file: of a run of the caller's tenant, or of one that is shared. */
export interface DownloadRoute extends Line {
  readonly kind: 'download';
  readonly of: 'run' | 'share';
}

/** A link that downloads once: the request becomes the one that the link stands for. */
interface DownloadLinkRoute extends Line {
  readonly kind: 'download link';
}

/** Services that take files part by part, by the four actions of an upload. */
export type UploadService = ActionName extends infer A ? (A extends `${infer S}.commit_upload` ? S : never) : never;

/**
 * A file as `multipart/form-data`, in the field `file`, handed on as it comes in parts of PART_BYTES. A service takes
 * part by having four actions: `begin_upload {upload_id, filename, content_type, announced}`, `put_upload {upload_id, n,
 * data}` with the bytes in base64, `commit_upload {upload_id, size}`, and `give_up_upload {upload_id}` for what will not
 * be committed. The first and the third get the variables of the path, too, and the third the further fields of the form.
 */
export interface UploadRoute<S extends UploadService = UploadService> extends Line {
  readonly kind: 'upload';
  readonly service: S;
  readonly status: 200 | 201 | 202;
  /** Fields of the form beside the file that are handed on: as texts, or as the JSON that is in them. */
  readonly fields: Readonly<Record<string, 'text' | 'json'>>;
  /** Where the answer is not simply `status` and what `commit_upload` answers. */
  readonly answer: ((result: ResultOf<`${S}.commit_upload`>) => Partial<Answer>) | null;
}

/** The endpoint of a chat, for visitors. */
export interface ChatRoute extends Line {
  readonly kind: 'chat';
}

/** A link in a mail, opened by people and programs. */
interface ApprovalLinkRoute extends Line {
  readonly kind: 'approval link';
}

/** Actions that take what a browser brings, and say where it goes next. */
type BrowserAction = {
  [A in ActionName]: ResultOf<A> extends BrowserStep ? (ParamsOf<A> extends BrowserVisit ? A : never) : never;
}[ActionName];

/** A page that a browser goes through on its way: redirects and cookies, by query or form. */
export interface BrowserRoute extends Line {
  readonly kind: 'browser';
  readonly action: BrowserAction;
}

/** A document about a tenant in XML. */
export interface XmlRoute extends Line {
  readonly kind: 'xml';
  readonly action: 'auth.sso_metadata';
  readonly contentType: string;
}

/** What the gateway answers by itself. */
export interface HealthRoute extends Line {
  readonly kind: 'health';
  readonly asks: 'alive' | 'ready';
}

/** A file that comes with the service. */
export interface AssetRoute extends Line {
  readonly kind: 'asset';
  readonly name: 'home' | 'openapi' | 'page' | 'script' | 'requests' | 'style' | 'guides' | 'guide';
  readonly contentType: string;
}

/** The web console, which is no part of the API. */
export interface ConsoleRoute extends Line {
  readonly kind: 'console';
}

/**
 * A form that starts a workflow: its first page, and what follows for the person who sent it. `step`: the page of a run by
 * its link; `pages`: what follows that one.
 */
export interface FormRoute extends Line {
  readonly kind: 'form';
  readonly page: 'start' | 'run' | 'step' | 'pages';
}

/** Provisioning by identity providers (SCIM), which describes itself: see its own documents. */
export interface ScimRoute extends Line {
  readonly kind: 'scim';
}

/** A page or a file for visitors of chats and forms. */
export interface VisitorRoute extends Line {
  readonly kind: 'visitor';
  readonly of: 'chat' | 'chat file' | 'widget' | 'logo';
}

/** A route of the API. */
export type Route =
  | JsonRoute
  | WebhookRoute
  | ProviderWebhookRoute
  | MessagingRoute
  | StreamRoute
  | TenantStreamRoute
  | ChatRoute
  | DownloadRoute
  | DownloadLinkRoute
  | UploadRoute
  | ApprovalLinkRoute
  | HealthRoute
  | AssetRoute
  | BrowserRoute
  | XmlRoute;

export type ServedRoute = Route | ConsoleRoute | FormRoute | ScimRoute | VisitorRoute;

/** `GET /health` as method and path. */
export function lineOf(line: `${Method} /${string}`): Pick<Line, 'method' | 'path'> {
  const [method, path] = line.split(' ') as [Method, string];
  return { method, path };
}

/** A page that a browser goes through, with what it does from its action. */
export const browser = (line: `${Method} /${string}`, action: BrowserAction): BrowserRoute => ({
  kind: 'browser',
  ...lineOf(line),
  access: 'public',
  action,
  summary: ACTIONS[action].summary,
});
