import Validator, { type ValidationError, type ValidationSchema } from 'fastest-validator';
import type { Context, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { AppError, errorMessage } from '../lib/errors';
import { type LineIds, withIds } from '../lib/logging/line';
import { parseTraceparent } from '../lib/tracing';
import type { App } from '../services/app';
import type { ActionName, Call, EventCatalogue, EventName, ParamsOf, ResultOf } from '../services/catalogue';
import { isUnreachable } from './database';
import type { Origin } from './origin';
import { type Principal, ROLES, type Role } from './principal';

type Logger = ServiceBroker['logger'];

/** Who may call an action: anyone; services alone; or people and keys from a role upward. */
export type Access = 'public' | 'internal' | Role;

/** What a handler gets: checked params, the verified caller, and typed ways to reach the other services. */
export interface ActionContext<A extends ActionName> {
  readonly params: ParamsOf<A>;
  /** Verified. Null only where access is `public` and the caller showed nothing. */
  readonly principal: Principal | null;
  /** The tenant of the verified caller. @throws AppError unauthenticated when there is none. */
  readonly tenantId: string;
  readonly requestId: string;
  /** The span that asks, as a `traceparent`; null without one. It only says what belongs together: anybody could have written it. */
  readonly trace: string | null;
  /** Where the request came from, as far as the gateway vouches for it. */
  readonly origin: Origin;
  readonly call: Call;
  readonly log: Logger;
}

/** One line of a service's menu. */
export interface ActionDefinition<A extends ActionName> {
  readonly access: Access;
  readonly summary: string;
  readonly params: ValidationSchema;
  readonly handle: (ctx: ActionContext<A>) => Promise<ResultOf<A>> | ResultOf<A>;
}

/** Ways to reach the others outside of an action: timers, start-up, events. */
export interface ServiceContext {
  readonly broker: ServiceBroker;
  readonly log: Logger;
  readonly call: Call;
  /** To all services that listen, on every node; with groups, to those alone. */
  broadcast<E extends EventName>(event: E, data: EventCatalogue[E], groups?: readonly string[]): void;
  /** To one service of each group that listens. */
  emit<E extends EventName>(event: E, data: EventCatalogue[E]): void;
}

/** What is done at an event. Anybody on the bus may send one, so it can only ever be a hint. */
export interface EventDefinition<E extends EventName> {
  readonly params: ValidationSchema;
  /** Who of several that listen is meant; absent: the service's name. */
  readonly group?: string;
  readonly handle: (data: EventCatalogue[E]) => void;
}

/** A service's action names without its own in front. A mapped type with an `as` clause would leave handlers untyped. */
type LocalName<S extends string> = ActionName extends infer A ? (A extends `${S}.${infer N}` ? N : never) : never;

/** A service as its file states it. Handlers are closures over `app`; there is no `this`. */
export interface ServiceDefinition<S extends string> {
  readonly actions: { readonly [N in LocalName<S>]: ActionDefinition<Extract<ActionName, `${S}.${N}`>> };
  readonly events?: { readonly [E in EventName]?: EventDefinition<E> };
  readonly started?: (context: ServiceContext) => Promise<void> | void;
  readonly stopped?: () => Promise<void> | void;
}

interface Meta {
  principal?: unknown;
  token?: unknown;
  request_id?: unknown;
  origin?: unknown;
  trace?: unknown;
}

/** Without the given value in its messages: turned into text, `{"toString": 1}` throws, and megabytes are copied. */
class ParamsValidator extends Validator {
  override makeError(fault: Parameters<Validator['makeError']>[0]): string {
    return super.makeError({ ...fault, actual: undefined });
  }
}

const validator = new ParamsValidator({
  defaults: { object: { strict: 'remove' } },
  useNewCustomCheckerFunction: true,
});

/** What services were defined as; the schemas that are made of it hold closures alone. */
const MENUS = new WeakMap<ServiceSchema, MenuOf>();

/** The menu of a service that `defineService` has made, for those who describe it; null for any other schema. */
export const definitionOf = (schema: ServiceSchema): MenuOf | null => MENUS.get(schema) ?? null;

/** A menu as it is read by whoever does not call it. */
export interface MenuOf {
  readonly actions: Readonly<Record<string, Pick<ActionDefinition<ActionName>, 'access' | 'summary' | 'params'>>>;
  readonly events?: Readonly<Record<string, Pick<EventDefinition<EventName>, 'group' | 'params'>>>;
}

/**
 * The Moleculer schema of a service. Around each handler, in this order: the caller is verified from signed
 * material alone (a stranger's `ctx.meta` grants nothing), his role is weighed, then the params are checked.
 */
export function defineService<const S extends string>(
  app: App,
  name: S,
  definition: ServiceDefinition<S>,
): ServiceSchema {
  const actions = Object.entries(definition.actions as Record<string, ActionDefinition<ActionName>>);
  const schema: ServiceSchema = {
    name,
    actions: Object.fromEntries(
      actions.map(([short, action]) => [short, actionSchema(app, `${name}.${short}`, action)]),
    ),
    events: Object.fromEntries(
      Object.entries(definition.events ?? {}).map(([event, given]) => [
        event,
        eventSchema(given as EventDefinition<never>),
      ]),
    ),
    async started(this: Service) {
      await definition.started?.(serviceContext(app, this.broker, this.logger));
    },
    async stopped() {
      await definition.stopped?.();
    },
  };
  MENUS.set(schema, definition);
  return schema;
}

/** A service context on any broker: what `started` gets; tests and scripts make their own. */
export function serviceContext(app: App, broker: ServiceBroker, log: Logger): ServiceContext {
  const lost = (event: string) => (fault: unknown) => log.debug(`The hint ${event} was not sent`, fault);
  return {
    broker,
    log,
    call: (action, params, options = {}) =>
      broker.call<never, object>(action, params as object, {
        ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
        meta: {
          principal:
            options.asServiceOf === undefined
              ? undefined
              : app.principals.forTenant(options.asServiceOf, app.clock.now()),
          ...(options.trace === undefined ? {} : { trace: options.trace }),
        },
      }),
    broadcast: (event, data, groups) =>
      void broker.broadcast(event, data, groups === undefined ? {} : { groups: [...groups] }).catch(lost(event)),
    emit: (event, data) => void broker.emit(event, data).catch(lost(event)),
  };
}

/** The one way in which caches on other nodes are told: ids and patterns of what has changed. */
export const staleParams = { patterns: { type: 'array', items: { type: 'string', max: 1_000 }, max: 1_000 } } as const;

/** What is malformed is dropped: whoever sent it is not one of us. */
export function eventSchema<E extends EventName>({ params, group, handle }: EventDefinition<E>) {
  const check = validator.compile({ ...params });
  return {
    ...(group === undefined ? {} : { group }),
    handler(ctx: Context<unknown>): void {
      const data = sanitised(check, ctx.params);
      if (data.faults.length === 0) handle(data.params as EventCatalogue[E]);
    },
  };
}

function actionSchema(app: App, fullName: string, action: ActionDefinition<ActionName>) {
  const check = checkerOf(action.params);
  return {
    summary: action.summary,
    async handler(this: Service, ctx: Context<unknown, Meta>): Promise<unknown> {
      const { meta } = ctx;
      const { logger } = this;
      const requestId = typeof meta.request_id === 'string' ? meta.request_id : (ctx.requestID ?? ctx.id);
      const principal = await identify(app, ctx, meta);
      admit(fullName, action.access, principal);
      const params = check(ctx.params);
      // Kept here, since Moleculer writes the meta of nested calls, which may act for a service, back over the caller's.
      const caller = meta.principal;
      const sender = meta.origin;
      const context: ActionContext<ActionName> = {
        params: params as never,
        principal,
        get tenantId() {
          if (principal === null) throw new AppError('unauthenticated', 'This call needs a credential');
          return principal.tenant_id;
        },
        requestId,
        trace: typeof meta.trace === 'string' ? meta.trace : null,
        get origin() {
          return { address: app.origins.verify(sender, requestId) };
        },
        get log() {
          return withIds(logger, idsOf(requestId, principal, meta.trace));
        },
        call: (target, targetParams, options = {}) =>
          ctx.call<never, object>(target, targetParams as object, {
            ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
            meta: {
              principal:
                options.asServiceOf === undefined
                  ? caller
                  : app.principals.forTenant(options.asServiceOf, app.clock.now()),
              token: undefined,
              request_id: requestId,
              origin: sender,
              ...(options.trace === undefined ? {} : { trace: options.trace }),
            },
          }),
      };
      try {
        return await action.handle(context);
      } catch (fault) {
        throw told(fullName, fault, this.logger);
      }
    },
  };
}

/** By what the lines of a call are found. */
const idsOf = (requestId: string, principal: Principal | null, trace: unknown): LineIds => ({
  request_id: requestId,
  tenant_id: principal?.tenant_id || undefined,
  trace_id: parseTraceparent(trace)?.traceId,
});

/** What the caller hears of a fault: of a database that cannot be reached, that it is for now. */
function told(action: string, fault: unknown, log: Logger): unknown {
  if (!isUnreachable(fault)) return fault;
  log.warn(`${action}: the database does not answer: ${errorMessage(fault)}`);
  return new AppError('unavailable', 'The database does not answer; try again', { retry_after: 2 }, { cause: fault });
}

/** Signed principal first; else an integrator's token, which the auth service turns into one. */
async function identify(app: App, ctx: Context<unknown, Meta>, meta: Meta): Promise<Principal | null> {
  const now = app.clock.now();
  if (meta.principal !== undefined && meta.principal !== null) {
    const principal = app.principals.verify(meta.principal, now);
    if (principal === null)
      throw new AppError('unauthenticated', 'The principal of this call is forged or has expired');
    return principal;
  }
  if (typeof meta.token !== 'string') return null;
  const verified = await ctx.call<{ principal: string }, { token: string }>(
    'auth.verify',
    { token: meta.token },
    { meta: { token: undefined } },
  );
  meta.principal = verified.principal;
  return app.principals.verify(verified.principal, now);
}

function admit(action: string, access: Access, principal: Principal | null): void {
  if (access === 'public') return;
  if (principal === null) throw new AppError('unauthenticated', 'A credential is needed: send a token or an API key');
  if (principal.role === 'service') {
    if (access === 'internal') return;
    throw new AppError('forbidden', `${action} acts for a person; a service may not call it`);
  }
  if (access === 'internal') throw new AppError('forbidden', `${action} is for services only`);
  if (ROLES.indexOf(principal.role) < ROLES.indexOf(access)) {
    throw new AppError('forbidden', `This needs the role ${access}; yours is ${principal.role}`);
  }
}

/** The check of an action's params, for what comes to its handler on another way. @throws AppError invalid_request */
export function checkOf<A extends ActionName>(params: ValidationSchema): (given: unknown) => ParamsOf<A> {
  return checkerOf(params) as (given: unknown) => ParamsOf<A>;
}

/**
 * A check of params that also drops `null` where a field may be left out: whoever writes null means to leave it out, and
 * no handler is to tell the two apart. @throws AppError invalid_request, by what it answers
 */
function checkerOf(params: ValidationSchema): (given: unknown) => unknown {
  const check = validator.compile({ ...params });
  const leavable = Object.entries(params).flatMap(([name, rule]) => (mayBeLeftOut(rule) ? [name] : []));
  return (given) => {
    const found = checked(check, given) as Record<string, unknown>;
    for (const name of leavable) if (found[name] === null) delete found[name];
    return found;
  };
}

const mayBeLeftOut = (rule: unknown): boolean =>
  typeof rule === 'object' &&
  rule !== null &&
  'optional' in rule &&
  rule.optional === true &&
  // Null is a value like any other there.
  !('type' in rule && rule.type === 'any') &&
  !('nullable' in rule && rule.nullable === true);

type Check = ReturnType<Validator['compile']>;

/** Unknown fields removed, defaults set; and what is wrong. */
function sanitised(check: Check, given: unknown): { params: object; faults: readonly ValidationError[] } {
  const params: object = typeof given === 'object' && given !== null ? { ...given } : {};
  const result = check(params) as true | ValidationError[];
  return { params, faults: result === true ? [] : result };
}

/** The params, sanitised. @throws AppError invalid_request listing every fault. */
function checked(check: Check, given: unknown): unknown {
  const { params, faults } = sanitised(check, given);
  if (faults.length === 0) return params;
  const details = faults.map((fault) => ({ path: fault.field, message: fault.message ?? `wrong (${fault.type})` }));
  throw new AppError('invalid_request', details.map((detail) => detail.message).join(' '), { details });
}
