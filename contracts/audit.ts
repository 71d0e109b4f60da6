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
