import type { JsonObject } from '../../lib/json';

/** Who did it, as far as it is known. `service`: the installation itself; `anonymous`: whoever held a public link. */
export interface AuditActorView {
  type: 'user' | 'api_key' | 'service' | 'anonymous';
  id: string | null;
  email: string | null;
  ip: string | null;
}

/** One event of a tenant's log, in its place in the chain. */
export interface AuditEventView {
  id: string;
  /** Place in the chain, from 1. */
  seq: number;
  at: string;
  actor: AuditActorView;
  action: string;
  target: { type: string; id: string; name: string | null };
  before: JsonObject | null;
  after: JsonObject | null;
  /** `failed`: what the event `refers_to` announces has not happened. */
  outcome: 'failed' | null;
  refers_to: string | null;
  request_id: string;
  prev_hash: string;
  hash: string;
}

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

/** What is wrong at a place of the chain. */
export type FaultReason =
  | 'missing'
  | 'changed'
  | 'forged'
  | 'misplaced'
  | 'unlinked'
  | 'head_missing'
  | 'head_changed'
  | 'anchor_differs';

/** Where a chain stops being what was written. */
export interface AuditFault {
  seq: number;
  reason: FaultReason;
  message: string;
}

/** How a look through a chain went. */
export interface AuditVerdict {
  /** Nothing wrong was found, in so far as the look has come. */
  valid: boolean;
  /** The look has come to the end. */
  complete: boolean;
  /** Events that were looked at. */
  events: number;
  /** The newest event that is known to belong to the chain; noted down elsewhere, it is an anchor for later. */
  head: { seq: number; hash: string };
  /** Where the next look goes on; null when there is nothing left, or a fault. */
  next_seq: number | null;
  first_fault?: AuditFault;
}

export interface AuditActions {
  /** Events, newest first. */
  'audit.list': (p: AuditFilter & { limit?: number; offset?: number; cursor?: string }) => {
    data: AuditEventView[];
    limit: number;
    offset: number;
    next_cursor: string | null;
  };
  /** Whether the chain is what was written. `anchor`: `<seq>:<hash>` of an earlier head. */
  'audit.verify': (p: { from_seq?: number; anchor?: string }) => AuditVerdict;
}
