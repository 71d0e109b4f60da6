import Validator, { type ValidationError } from 'fastest-validator';
import type { Context, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { AppError, errorMessage } from '../lib/errors';
import { type LineIds, withIds } from '../lib/logging/line';
import { parseTraceparent } from '../lib/tracing';
import type { App } from '../services/app';
import type { ActionName, Call, ParamsOf, ResultOf } from '../contracts/catalogue';
import type { ActionContract, Actions, Contract } from '../contracts/contract';
import { type EventData, type EventName, EVENTS } from '../contracts/events';
import type { Rules } from '../contracts/rules';
import { isUnreachable } from '../lib/database';
import { admit, type CallerMeta, identify } from './caller';
import { invalidate } from './invalidation';
import type { ClientAddress } from '../lib/client-address';
import type { Principal } from '../lib/principal';

type Logger = ServiceBroker['logger'];

/** What a handler gets: checked params, the verified caller, and typed ways to reach the other services. */
export interface ActionContext<A extends ActionName> {
  readonly params: ParamsOf<A>;
  /** Verified. Null only where access is `public` and the caller showed nothing. */
  readonly principal: Principal | null;
  /** The tenant of the verified caller. @throws AppError unauthenticated when there is none. */
  readonly tenantId: string;
  /** The node of the integrator that calls over NATS; null when a service or the gateway calls. */
  readonly integratorNode: string | null;
  /** How long the caller waits for the answer, in milliseconds; null without an end. */
  readonly timeoutMs: number | null;
  readonly requestId: string;
  /** The span that asks, as a `traceparent`; null without one. It only correlates spans: it is not authenticated. */
  readonly trace: string | null;
  /** Where the request came from, as far as the gateway vouches for it. */
  readonly origin: ClientAddress;
  readonly call: Call;
  readonly log: Logger;
}

/** What a service does for one of its actions. */
type Handler<A extends ActionName> = (ctx: ActionContext<A>) => Promise<ResultOf<A>> | ResultOf<A>;

/** Ways to reach the others outside of an action: timers, start-up, events. */
export interface ServiceContext {
  readonly broker: ServiceBroker;
  readonly log: Logger;
  readonly call: Call;
  /** To all services that listen, on every node; with groups, to those alone. */
  broadcast<E extends EventName>(event: E, data: EventData<E>, groups?: readonly string[]): void;
  /** Resolves when no cache of the cluster gives an answer from before a change; call it before the change is answered. */
  invalidate(...patterns: readonly string[]): Promise<void>;
  /** To one service of each group that listens. */
  emit<E extends EventName>(event: E, data: EventData<E>): void;
}

/** What is done at an event. Processes sign them, and they may be lost: hints, never facts. */
export interface EventDefinition<E extends EventName> {
  /** Event group. Defaults to the service name. */
  readonly group?: string;
  readonly handle: (data: EventData<E>) => void;
}

/** A service's action names without its own in front. A mapped type with an `as` clause would leave handlers untyped. */
type LocalName<S extends string> = ActionName extends infer A ? (A extends `${S}.${infer N}` ? N : never) : never;

/** A handler for each action of a service's contract. */
export type Handlers<S extends string> = {
  readonly [N in LocalName<S>]: Handler<Extract<ActionName, `${S}.${N}`>>;
};

/** What a service does: handlers are closures over `app`; there is no `this`. */
interface ServiceDefinition<S extends string> {
  readonly handlers: Handlers<S>;
  readonly events?: { readonly [E in EventName]?: EventDefinition<E> };
  readonly started?: (context: ServiceContext) => Promise<void> | void;
  readonly stopped?: () => Promise<void> | void;
}

interface Meta extends CallerMeta {
  request_id?: unknown;
  origin?: unknown;
  trace?: unknown;
}

/**
 * Without the given value in its faults: turned into text, `{"toString": 1}` throws, and megabytes are copied. Of words that
 * are not allowed, the beginning.
 */
class ParamsValidator extends Validator {
  override makeError(fault: Parameters<Validator['makeError']>[0]): string {
    // An expression of the generated check.
    const actual =
      fault.type === 'enumValue' ? 'typeof value === "string" ? value.slice(0, 100) : undefined' : undefined;
    return super.makeError({ ...fault, actual });
  }
}

const validator = new ParamsValidator({
  defaults: { object: { strict: 'remove' } },
  useNewCustomCheckerFunction: true,
});

/**
 * The Moleculer schema of a service. Around each handler, in this order: the caller is identified and admitted (`caller.ts`),
 * then the params are checked.
 */
export function defineService<const S extends string>(
  app: App,
  { name, actions }: Contract<S, Actions>,
  definition: ServiceDefinition<S>,
): ServiceSchema {
  const handlers = definition.handlers as unknown as Readonly<Record<string, Handler<ActionName>>>;
  return {
    name,
    actions: Object.fromEntries(
      Object.entries(actions).map(([short, action]) => [
        short,
        actionSchema(app, `${name}.${short}`, action, handlers[short] as Handler<ActionName>),
      ]),
    ),
    events: Object.fromEntries(
      Object.entries(definition.events ?? {}).map(([event, given]) => [
        event,
        eventSchema(event as EventName, given as EventDefinition<EventName>),
      ]),
    ),
    async started(this: Service) {
      await definition.started?.(serviceContext(app, this.broker, this.logger));
    },
    async stopped() {
      await definition.stopped?.();
    },
  };
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
    invalidate: (...patterns) => invalidate(app, broker, patterns),
    emit: (event, data) => void broker.emit(event, data).catch(lost(event)),
  };
}

/** Drops what stale patterns name, by what they begin with; `forget` gets the rest of the pattern. */
export const onStale = (forget: Readonly<Record<string, (key: string) => void>>): EventDefinition<'cache.stale'> => ({
  handle: ({ patterns }) => {
    for (const pattern of patterns)
      for (const [prefix, drop] of Object.entries(forget))
        if (pattern.startsWith(prefix)) drop(pattern.slice(prefix.length));
  },
});

/** Malformed events are dropped: no service sends them. */
export function eventSchema<E extends EventName>(event: E, { group, handle }: EventDefinition<E>) {
  const check = compiled(EVENTS[event].params);
  return {
    ...(group === undefined ? {} : { group }),
    handler(ctx: Context<unknown>): void {
      const data = sanitised(check(), ctx.params);
      if (data.faults.length === 0) handle(data.params as EventData<E>);
    },
  };
}

function actionSchema(app: App, fullName: string, action: ActionContract, handler: Handler<ActionName>) {
  const { summary, rest, params: rules } = action;
  const check = checkerOf(rules);
  return {
    // For the registry and the REPL: the broker has no validator of its own (start/broker-options.ts), so params are checked once.
    summary,
    rest,
    params: rules,
    async handler(this: Service, ctx: Context<unknown, Meta>): Promise<unknown> {
      const { meta } = ctx;
      const { logger } = this;
      const requestId = typeof meta.request_id === 'string' ? meta.request_id : (ctx.requestID ?? ctx.id);
      const timeoutMs = ctx.options.timeout ?? 0;
      const { principal, integratorNode } = await identify(app, ctx);
      admit(fullName, action, { principal, integratorNode });
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
        integratorNode,
        timeoutMs: timeoutMs > 0 ? timeoutMs : null,
        requestId,
        trace: typeof meta.trace === 'string' ? meta.trace : null,
        get origin() {
          return { address: app.clientAddresses.verify(sender, requestId) };
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
        return await handler(context);
      } catch (fault) {
        throw toCallerError(fullName, fault, this.logger);
      }
    },
  };
}

/** Ids that the log lines of a call carry. */
const idsOf = (requestId: string, principal: Principal | null, trace: unknown): LineIds => ({
  request_id: requestId,
  tenant_id: principal?.tenant_id || undefined,
  trace_id: parseTraceparent(trace)?.traceId,
});

/** The error that the caller gets: `unavailable` when the database cannot be reached. */
function toCallerError(action: string, fault: unknown, log: Logger): unknown {
  if (!isUnreachable(fault)) return fault;
  log.warn(`${action}: database unreachable: ${errorMessage(fault)}`);
  return new AppError('unavailable', 'The database does not answer; try again', { retry_after: 2 }, { cause: fault });
}

/** The check of an action's params, for what comes to its handler on another way. @throws AppError invalid_request */
export function checkOf<A extends ActionName>(params: Rules): (given: unknown) => ParamsOf<A> {
  return checkerOf(params) as (given: unknown) => ParamsOf<A>;
}

/**
 * A check of params that also drops `null` where a field may be left out: null means absent, and
 * no handler is to tell the two apart. @throws AppError invalid_request, by what it answers
 */
function checkerOf(params: Rules): (given: unknown) => unknown {
  const check = compiled(params);
  const leavable = Object.entries(params).flatMap(([name, rule]) => (mayBeLeftOut(rule) ? [name] : []));
  return (given) => {
    const found = checked(check(), given) as Record<string, unknown>;
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

/** Compiled at the first use: all checks of all services take a tenth of the time of a start. */
function compiled(rules: Rules): () => Check {
  let check: Check | undefined;
  return () => (check ??= validator.compile({ ...rules }));
}

/** Unknown fields removed, defaults set; and what is wrong. */
function sanitised(check: Check, given: unknown): { params: object; faults: readonly ValidationError[] } {
  const params: object = typeof given === 'object' && given !== null ? { ...given } : {};
  const result = check(params) as true | ValidationError[];
  return { params, faults: result === true ? [] : result };
}

const MAX_SHOWN_CHARS = 60;

/** What is wrong with a field. The library's own message about a word that is not allowed shows the allowed ones as its value. */
function messageOf({ type, field, expected, actual, message }: ValidationError): string {
  if (type !== 'enumValue') return message ?? `wrong (${type})`;
  if (typeof actual !== 'string') return `"${field}" must be one of ${String(expected)}`;
  const value = JSON.stringify(actual);
  const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
  return `"${field}" is ${shown}: allowed are ${String(expected)}`;
}

/** The params, sanitised. @throws AppError invalid_request listing every fault. */
function checked(check: Check, given: unknown): unknown {
  const { params, faults } = sanitised(check, given);
  if (faults.length === 0) return params;
  const details = faults.map((fault) => ({ path: fault.field, message: messageOf(fault) }));
  const sentences = details.map(({ message }) =>
    faults.length > 1 && !message.endsWith('.') ? `${message}.` : message,
  );
  throw new AppError('invalid_request', sentences.join(' '), { details });
}
