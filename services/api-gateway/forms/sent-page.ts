import type { ServerResponse } from 'node:http';
import type { Json } from '../../../lib/json';
import type { Gateway } from '../gateway';
import { single } from '../http/query';
import type { GatewayRequest } from '../http/request';
import { readSubmission, type Submission } from '../http/sent-form';
import type { FormField } from '../public-page/fields';
import { PAGE_TOKEN, TRAP } from '../public-page/form';
import type { FormRoute } from '../routes/route';
import { pageToken, readPageToken } from './tokens';
import { type Filled, readFilled } from './values';

/** Limit of a form without files, in bytes. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** The page that is expected. */
interface ExpectedPage {
  readonly tenantId: string;
  /** What its token is made for. */
  readonly subject: string;
  readonly schema: Json | undefined;
  readonly fields: readonly FormField[];
  /** Of the workspace of the run, for files. `nonce`: of the page. */
  readonly folder: (nonce: string) => string;
}

/** A page as it was sent. */
interface SentPage {
  readonly submission: Submission;
  /** For the same page, shown again. */
  readonly token: string;
  /** Unique to the page; null for one that has no valid token. */
  readonly nonce: string | null;
  readonly filled: Filled;
  /** Why it may not come from a person; null when it does. */
  readonly message: string | null;
}

/** Reads a sent page, and checks its answers by the schema. @throws AppError payload_too_large, invalid_request, unavailable */
export async function readPage(
  gateway: Gateway,
  route: FormRoute,
  request: GatewayRequest,
  response: ServerResponse,
  { tenantId, subject, schema, fields, folder }: ExpectedPage,
): Promise<SentPage> {
  const { app } = gateway;
  const hasFiles = fields.some(({ control }) => control.kind === 'file');
  const maxBytes = hasFiles ? app.config.webhookLimit : MAX_TEXT_BYTES;
  const bytes = await gateway.body(route, request, response, { maxBytes, compressed: false });
  const submission = await readSubmission(request, bytes);
  const now = app.clock.now();
  const token = single(submission.fields, PAGE_TOKEN) ?? '';
  const state = readPageToken(app.keys.ids, subject, token, now);
  const nonce = state.kind === 'invalid' ? null : state.nonce;
  const lane = app.compute.lane(tenantId);
  const filled = await readFilled(lane, { schema, fields }, submission, folder(nonce ?? ''));
  return {
    submission,
    token: nonce === null ? pageToken(app.keys.ids, subject, now) : token,
    nonce,
    filled,
    message: suspicion(submission, state.kind),
  };
}

/** Why a form may not come from a person; null when it does. What was typed is kept. */
function suspicion({ fields }: Submission, state: 'valid' | 'early' | 'invalid'): string | null {
  if ((single(fields, TRAP) ?? '') !== '')
    return 'A field that people do not see was filled in, perhaps by your browser. It is empty again; send the form once more.';
  if (state === 'early') return 'That was very fast. Look over your answers and send the form once more.';
  return state === 'invalid'
    ? 'This page was open for too long. Look over your answers and send the form once more.'
    : null;
}
