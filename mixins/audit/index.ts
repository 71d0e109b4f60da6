import { errorCode } from '../../lib/errors';
import { risingTimeIds, timeOfId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import type { App } from '../../services/app';
import type { ActionName } from '../../services/catalogue';
import type { ActionContext } from '../service';
import { type AuditActor, type AuditEvent, type AuditTarget, recordable } from './event';
import { auditModels } from './model';
import { ChainStore } from './store';
import { ChainWriter } from './writer';

export type { AuditActor, AuditTarget } from './event';

/**
 * What is done. `before` and `after` are plain JSON without secrets, keys, tokens, hashes or passwords; of those it says
 * that they changed.
 */
export interface AuditChange {
  /** `topic.verb`, such as `workflow.create`. */
  readonly action: string;
  readonly target: AuditTarget;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject | null;
}

/** On whose behalf, in whose log. */
export interface Acting {
  readonly tenantId: string;
  readonly actor: AuditActor;
  readonly requestId: string;
}

/** How a change gets on record: its event first, then the act. */
export type Recorded = <T>(change: AuditChange, act: () => Promise<T>) => Promise<T>;

type Parts = Pick<App, 'db' | 'clock' | 'keys'> & { readonly warn: (message: string, fault: unknown) => void };

const LONGEST_TEXT = 256;

/**
 * The one door to the audit log. The record comes first: a crash in between leaves an event whose act did not happen,
 * never an act without its event.
 */
export class AuditLog {
  readonly #writer: ChainWriter;
  readonly #nextId = risingTimeIds();

  constructor(private readonly parts: Parts) {
    const store = new ChainStore(auditModels(parts.db), parts.keys.audit);
    this.#writer = new ChainWriter(store, parts.warn);
  }

  /**
   * Writes the event, then acts. When the act fails, a second event says so (`outcome: failed`, `refers_to`). What can be
   * refused beforehand should be: an event of what was never tried is noise.
   * @throws what the act throws; AppError unavailable when the event cannot be written, and then nothing is done
   */
  async audited<T>(who: Acting, change: AuditChange, act: () => Promise<T>): Promise<T> {
    const event = this.#event(who, change);
    await this.#writer.append(who.tenantId, event);
    try {
      return await act();
    } catch (fault) {
      const after = { error: errorCode(fault) ?? 'internal' };
      const failure = this.#event(who, { ...change, before: null, after }, event.id);
      await this.#writer
        .append(who.tenantId, failure)
        // What went wrong first is what the caller has to hear of.
        .catch((lost: unknown) =>
          this.parts.warn(`It is not on record that ${event.id} (${event.action}) failed`, lost),
        );
      throw fault;
    }
  }

  /** Writes an event of what is no act of ours: a login that failed. */
  async note(who: Acting, change: AuditChange): Promise<void> {
    await this.#writer.append(who.tenantId, this.#event(who, change));
  }

  /** Answers when everything about what was written so far is stored. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }

  #event(who: Acting, { action, target, before, after }: AuditChange, failed: string | null = null): AuditEvent {
    const id = this.#nextId(this.parts.clock.now());
    return {
      id,
      at: new Date(timeOfId(id)).toISOString(),
      actor: {
        type: who.actor.type,
        id: bounded(who.actor.id),
        email: bounded(who.actor.email),
        ip: bounded(who.actor.ip),
      },
      action,
      target: { type: target.type, id: bounded(target.id), name: bounded(target.name ?? null) },
      before: recordable(before),
      after: recordable(after),
      outcome: failed === null ? null : 'failed',
      refers_to: failed,
      request_id: bounded(who.requestId),
    };
  }
}

/** Through its bytes, since half of a surrogate pair would be stored as something else than what was hashed. */
function bounded<T extends string | null>(text: T): T {
  return (text === null ? null : Buffer.from(text.slice(0, LONGEST_TEXT)).toString()) as T;
}

/** A way to do things on somebody's behalf, in his tenant's log. */
export const recordedBy =
  (audit: AuditLog, who: Acting): Recorded =>
  (change, act) =>
    audit.audited(who, change, act);

type Caller = Pick<ActionContext<ActionName>, 'principal' | 'origin' | 'requestId'>;

/** Who calls, in his tenant's log. @throws AppError unauthenticated when nobody does */
export function auditedBy(ctx: Caller & Pick<ActionContext<ActionName>, 'tenantId'>): Acting {
  return { tenantId: ctx.tenantId, actor: actorOf(ctx), requestId: ctx.requestId };
}

/** Whoever calls, in the log of the tenant whose things he has to do with: a public link, a failed login. */
export function auditedIn(tenantId: string, ctx: Caller): Acting {
  const own = ctx.principal?.tenant_id === tenantId;
  const actor: AuditActor = own ? actorOf(ctx) : { type: 'anonymous', id: null, email: null, ip: ctx.origin.address };
  return { tenantId, actor, requestId: ctx.requestId };
}

function actorOf({ principal, origin }: Caller): AuditActor {
  const ip = origin.address;
  if (principal === null) return { type: 'anonymous', id: null, email: null, ip };
  return { type: principal.kind, id: principal.user_id, email: principal.email, ip };
}
