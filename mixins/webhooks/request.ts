import { recordableHeaders } from '../../lib/delivery-headers';
import type { FormFile } from '../../lib/http-body/multipart-body';
import type { Json, JsonObject } from '../../lib/json';
import type { StartCause } from '../start-run';

/** Keeps a byte order mark, which signatures cover. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The exact bytes of a body for a run: as text if they are UTF-8, so that a signature over the text equals one over the
 * bytes; otherwise in base64, with `raw_encoding`.
 */
function rawBody(bytes: Buffer): JsonObject {
  try {
    return { raw_body: strict.decode(bytes), raw_encoding: 'utf8' };
  } catch {
    // A fatal decoder throws only for invalid UTF-8.
    return { raw_body: bytes.toString('base64'), raw_encoding: 'base64' };
  }
}

/** A request to a webhook or to `/run`. `body`: parsed JSON or form, else text; binary bodies as base64 text. */
export interface WebhookRequest {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  readonly body: Json;
  /** Files of a multipart form; absent for other bodies. */
  readonly files?: FormFile[];
  /** The bytes of the body. */
  readonly raw: Buffer;
}

/** The part of a start that comes from the request. */
type RequestCause = Pick<StartCause, 'type' | 'trigger' | 'spread_body'>;

/** A start by a webhook; `raw` adds the unparsed body. */
export const webhookCause = (request: WebhookRequest, raw: boolean): RequestCause => ({
  type: 'http',
  trigger: {
    body: request.body,
    ...filesIn(request),
    headers: recordableHeaders(request.headers),
    query: request.query,
    method: request.method,
    ...(raw ? rawBody(request.raw) : {}),
  },
});

/** A start by `/run`: the keys of the body become members of the trigger, and `body` is the whole body. */
export const runCause = (request: Pick<WebhookRequest, 'body' | 'files'>): RequestCause => ({
  type: 'api',
  trigger: { body: request.body, ...filesIn(request) },
  spread_body: true,
});

const filesIn = ({ files }: Pick<WebhookRequest, 'files'>): JsonObject =>
  files === undefined ? {} : { files: files.map((file) => ({ ...file })) };
