import { contract } from './contract';
import * as s from '../lib/schema';

/** What a list is narrowed down to; all that is given must fit. */
export interface AuditFilter {
  /** Id or e-mail address. */
  actor?: string;
  /** An action, or a topic with its dot: `workflow.` */
  action?: string;
  /** Id of what it was done to. */
  target?: string;
  /** RFC 3339; both ends are included. */
  from?: string;
  to?: string;
}

const AuditActorView = s.named(
  'AuditActorView',
  s.object({
    type: s.words('anonymous', 'api_key', 'service', 'user'),
    id: s.text.nullable(),
    email: s.text.nullable(),
    ip: s.text.nullable(),
  }),
  'The actor, as far as it is known. `service`: the installation itself; `anonymous`: a caller with a public link.',
);

export const AuditEventView = s.named(
  'AuditEventView',
  s.object({
    id: s.text,
    seq: s.number.about('Place in the chain, from 1.'),
    at: s.text,
    actor: AuditActorView,
    action: s.text,
    target: s.object({
      type: s.text,
      id: s.text,
      name: s.text.nullable(),
    }),
    before: s.jsonObject.nullable(),
    after: s.jsonObject.nullable(),
    outcome: s.constant('failed').nullable().about('`failed`: what the event `refers_to` announces has not happened.'),
    refers_to: s.text.nullable(),
    request_id: s.text,
    prev_hash: s.text,
    hash: s.text,
  }),
  "One event of a tenant's log, in its place in the chain.",
);
export type AuditEventView = s.Infer<typeof AuditEventView>;

export const FaultReason = s.named(
  'FaultReason',
  s.words('anchor_differs', 'changed', 'forged', 'head_changed', 'head_missing', 'misplaced', 'missing', 'unlinked'),
  'What is wrong at a place of the chain.',
);
export type FaultReason = s.Infer<typeof FaultReason>;

export const AuditFault = s.named(
  'AuditFault',
  s.object({
    seq: s.number,
    reason: FaultReason,
    message: s.text,
  }),
  'The first fault of a chain.',
);
export type AuditFault = s.Infer<typeof AuditFault>;

export const AuditVerdict = s.named(
  'AuditVerdict',
  s.object({
    valid: s.boolean.about('No fault was found in the verified part.'),
    complete: s.boolean.about('The verification has reached the end.'),
    events: s.number.about('Verified events.'),
    head: s
      .object({
        seq: s.number,
        hash: s.text,
      })
      .about('The newest event that is known to belong to the chain; noted down elsewhere, it is an anchor for later.'),
    next_seq: s.number.nullable().about('Where the next verification continues; null at the end or after a fault.'),
    first_fault: AuditFault.optional(),
  }),
  'The result of a verification.',
);
export type AuditVerdict = s.Infer<typeof AuditVerdict>;

export const AuditStreamView = s.named(
  'AuditStreamView',
  s.object({
    url: s.text.about('Long parts of its path and its query are masked.'),
    state: s.words('failing', 'ok', 'paused'),
    next_seq: s.number.about('The place in the chain of the next event that is sent.'),
    behind: s.number.about('Events that are not sent yet.'),
    last_sent_at: s.text.nullable(),
    failing_since: s.text.nullable(),
    error: s.text.nullable().about('Of the last attempt.'),
    next_attempt_at: s.text.nullable().about('While it fails.'),
    created_at: s.text,
  }),
  'A webhook that gets every event of the audit log.',
);
export type AuditStreamView = s.Infer<typeof AuditStreamView>;

const whole = (min: number, max: number) =>
  ({ type: 'number', integer: true, min, max, convert: true, optional: true }) as const;

const word = { type: 'string', min: 1, max: 256, optional: true } as const;

export const auditContract = contract('audit', {
  list: {
    rest: 'GET /api/v1/audit',
    access: 'admin',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Who did what, newest first; by `actor`, `action`, `target`, `from`, `to`',
    description: 'Events, newest first.',
    params: {
      limit: whole(1, 1_000),
      offset: whole(0, Number.MAX_SAFE_INTEGER),
      cursor: word,
      actor: word,
      action: word,
      target: word,
      from: word,
      to: word,
    },
    result: s.listed(AuditEventView).extend({ next_cursor: s.text.nullable() }),
    errors: ['invalid_query'],
  },
  operator_list: {
    rest: 'GET /api/v1/operator/audit',
    access: 'operator',
    repeatable: true,
    summary: 'What operators did, newest first',
    params: { limit: whole(1, 200), cursor: word, actor: word, action: word, target: word, from: word, to: word },
    result: s.object({ data: s.array(AuditEventView), next_cursor: s.text.nullable() }),
    errors: ['invalid_query'],
  },
  stream: {
    rest: 'GET /api/v1/audit/stream',
    access: 'admin',
    repeatable: true,
    integrators: true,
    summary: 'Where events are sent, and how far it is',
    params: {},
    result: s.object({ stream: AuditStreamView.nullable() }),
  },
  set_stream: {
    rest: 'PUT /api/v1/audit/stream',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'Sends each event to a webhook, in their order',
    description:
      'Each event is a POST of its own, signed as Standard Webhooks says, with the id of the event as `webhook-id`. Without `secret`, the one of before stays, or a new one is made and shown by this answer. `from_seq`: the first event to be sent; without it a new stream begins with this change, and one that is there goes on.',
    params: {
      url: { type: 'string', min: 1, max: 2_000 },
      secret: { type: 'string', min: 16, max: 200, nullable: true, optional: true },
      from_seq: whole(1, Number.MAX_SAFE_INTEGER),
    },
    result: AuditStreamView.extend({ secret: s.text.nullable().about('Where this request has made it.') }),
  },
  remove_stream: {
    rest: 'DELETE /api/v1/audit/stream',
    status: 204,
    access: 'owner',
    integrators: true,
    summary: 'Sends no more events to the webhook',
    params: {},
    result: s.nothing,
    errors: ['not_found'],
  },
  pause_stream: {
    rest: 'POST /api/v1/audit/stream/pause',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'Sends no events until the stream is resumed; none is lost',
    params: {},
    result: AuditStreamView,
    errors: ['not_found'],
  },
  resume_stream: {
    rest: 'POST /api/v1/audit/stream/resume',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'Sends the events since the pause, and those that follow',
    params: {},
    result: AuditStreamView,
    errors: ['not_found'],
  },
  test_stream: {
    rest: 'POST /api/v1/audit/stream/test',
    access: 'owner',
    integrators: true,
    summary: 'Sends one message of the type `audit.test`, and returns the answer of the receiver',
    params: {},
    result: s.object({
      delivered: s.boolean.about('The receiver answered with 2xx.'),
      status: s.number.nullable(),
      error: s.text.nullable().about('Why there was no answer.'),
      duration_ms: s.number,
    }),
    errors: ['not_found'],
  },
  verify: {
    rest: 'GET /api/v1/audit/verify',
    access: 'admin',
    repeatable: true,
    integrators: true,
    summary: 'Whether the log is what was written, from `from_seq` on, and passes through an `anchor`',
    description: 'Whether the chain is what was written. `anchor`: `<seq>:<hash>` of an earlier head.',
    params: { from_seq: whole(1, Number.MAX_SAFE_INTEGER), anchor: word },
    result: AuditVerdict,
    errors: ['not_found'],
  },
});
