import { errorCode } from '../../lib/errors';
import { risingTimeIds, timeOfId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import type { App } from '../../services/app';
import type { ActionName } from '../../contracts/catalogue';
import type { ActionContext } from '../service';
import { AuditAnnouncer } from './announcer';
import { type AuditActor, type AuditEvent, type AuditTarget, recordable } from './event';
import { auditModels } from './model';
import { ChainStore } from './store';
import { ChainWriter } from './writer';

export type { AuditActor, AuditTarget } from './event';

/**
 * An audited change. `before` and `after` are plain JSON. They contain no secrets, keys, tokens, hashes or passwords, only
 * the fact that these changed.
 */
export interface AuditChange {
  /** `topic.verb`, such as `workflow.create`. */
  readonly action: string;
  readonly target: AuditTarget;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject | null;
}

/** The actor, and the tenant whose log gets the event. */
export interface Acting {
  readonly tenantId: string;
  readonly actor: AuditActor;
  readonly requestId: string;
}

/** Writes the event of a change, then runs the change. */
export type Recorded = <T>(change: AuditChange, act: () => Promise<T>) => Promise<T>;

type AuditDeps = Pick<App, 'db' | 'clock' | 'keys'> & { readonly warn: (message: string, fault: unknown) => void };

const MAX_TEXT_CHARS = 256;

/**
 * The only writer of the audit log. The event is written before the change: a crash in between leaves an event without a
 * change, never a change without an event.
 */
export class AuditLog {
  readonly announcer = new AuditAnnouncer();
  readonly #writer: ChainWriter;
  readonly #nextId = risingTimeIds();

  constructor(private readonly parts: AuditDeps) {
    const store = new ChainStore(auditModels(parts.db), parts.keys.audit);
    this.#writer = new ChainWriter(store, parts.warn, (tenantId) => this.announcer.appended(tenantId));
  }

  /**
   * Writes the event, then calls `act`. When `act` fails, a second event records the failure (`outcome: failed`,
   * `refers_to`). Validate before this call, so that invalid requests write no events.
   * @throws the error of `act`; AppError unavailable when the event cannot be written, and then `act` is not called
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
        // The caller gets the error of `act`.
        .catch((lost: unknown) =>
          this.parts.warn(`The failure of audit event ${event.id} (${event.action}) was not recorded`, lost),
        );
      throw fault;
    }
  }

  /** Writes an event that has no change, such as a failed login. */
  async note(who: Acting, change: AuditChange): Promise<void> {
    await this.#writer.append(who.tenantId, this.#event(who, change));
  }

  /** Resolves when all events and heads so far are stored. */
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

/** Truncates a text. The UTF-8 round trip replaces half of a surrogate pair, so that the stored text equals the hashed one. */
function bounded<T extends string | null>(text: T): T {
  return (text === null ? null : Buffer.from(text.slice(0, MAX_TEXT_CHARS)).toString()) as T;
}

/** Runs changes as audited changes of an actor. */
export const recordedBy =
  (audit: AuditLog, who: Acting): Recorded =>
  (change, act) =>
    audit.audited(who, change, act);

type Caller = Pick<ActionContext<ActionName>, 'principal' | 'origin' | 'requestId'>;

/** The caller as the actor, with the log of its tenant. @throws AppError unauthenticated without a tenant */
export function auditedBy(ctx: Caller & Pick<ActionContext<ActionName>, 'tenantId'>): Acting {
  return { tenantId: ctx.tenantId, actor: actorOf(ctx), requestId: ctx.requestId };
}

/** The caller as the actor, with the log of the tenant that owns the changed object: for public links and failed logins. */
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
