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
import { FOLDER_GUARDS } from '../contracts/folder-guards';
import { admit, type CallerMeta, identify } from './caller';
import { CallerFolders } from './folders/caller-folders';
import { assertGuard } from './folders/guard';
import { folderCacheOf } from './folders/tenant-folders';
import { invalidate } from './invalidation';
import type { ClientAddress } from '../lib/client-address';
import type { Principal } from '../lib/principal';

type Logger = ServiceBroker['logger'];

/** The context of a handler: validated params, the verified caller, and typed calls of other services. */
export interface ActionContext<A extends ActionName> {
  readonly params: ParamsOf<A>;
  /** Verified. Null only for `public` access without a credential. */
  readonly principal: Principal | null;
  /** The tenant of the verified caller. @throws AppError unauthenticated without a caller */
  readonly tenantId: string;
  /** The caller's rights on folders, which guards of `contracts/folder-guards.ts` have checked as far as they name params. */
  readonly folders: CallerFolders;
  /** The node of an integrator that calls over NATS; null for services and the gateway. */
  readonly integratorNode: string | null;
  /** Timeout of the caller; null for none. */
  readonly timeoutMs: number | null;
  readonly requestId: string;
  /** `traceparent` of the caller's span; null without one. It only correlates spans: it is not authenticated. */
  readonly trace: string | null;
  /** The client's address, if the gateway has signed it. */
  readonly origin: ClientAddress;
  readonly call: Call;
  readonly log: Logger;
}

type Handler<A extends ActionName> = (ctx: ActionContext<A>) => Promise<ResultOf<A>> | ResultOf<A>;

/** The context outside of actions: of timers, start-up and events. */
export interface ServiceContext {
  readonly broker: ServiceBroker;
  readonly log: Logger;
  readonly call: Call;
  /** Sends to all subscribed services on every node, or only to the given groups. */
  broadcast<E extends EventName>(event: E, data: EventData<E>, groups?: readonly string[]): void;
  /** Resolves when no cache of the cluster has a value from before the change. Await it before the change is answered. */
  invalidate(...patterns: readonly string[]): Promise<void>;
  /** Sends to one service of each subscribed group. */
  emit<E extends EventName>(event: E, data: EventData<E>): void;
}

/** The handler of an event. Events are signed and may be lost, so they are only hints. */
export interface EventDefinition<E extends EventName> {
  /** Event group. Defaults to the service name. */
  readonly group?: string;
  readonly handle: (data: EventData<E>) => void;
}

/** A service's action names without its prefix. A mapped type with an `as` clause would leave handlers untyped. */
type LocalName<S extends string> = ActionName extends infer A ? (A extends `${S}.${infer N}` ? N : never) : never;

/** A handler for each action of a service's contract. */
export type Handlers<S extends string> = {
  readonly [N in LocalName<S>]: Handler<Extract<ActionName, `${S}.${N}`>>;
};

/** Handlers are closures over `app`; there is no `this`. */
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
 * Errors without the invalid value: its conversion to text would throw for `{"toString": 1}` and copy megabytes. Errors of
 * enumerations have its first characters.
 */
class ParamsValidator extends Validator {
  override makeError(fault: Parameters<Validator['makeError']>[0]): string {
    // An expression in the generated code.
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
 * the params are checked, then the caller's rights on folders (`folders/guard.ts`).
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
      const context = serviceContext(app, this.broker, this.logger);
      app.audit.announcer.by((tenant_ids) => context.emit('audit.appended', { tenant_ids }));
      await definition.started?.(context);
    },
    async stopped() {
      await definition.stopped?.();
    },
  };
}

/** The service context of a broker. Tests and scripts create their own. */
export function serviceContext(app: App, broker: ServiceBroker, log: Logger): ServiceContext {
  const lost = (event: string) => (fault: unknown) => log.debug(`The hint ${event} was not sent`, fault);
  return {
    broker,
    log,
    call: (action, params, options = {}) =>
      broker.call<never, object>(action, params as object, callOptions(app, options, { principal: undefined })),
    broadcast: (event, data, groups) =>
      void broker.broadcast(event, data, groups === undefined ? {} : { groups: [...groups] }).catch(lost(event)),
    invalidate: (...patterns) => invalidate(app, broker, patterns),
    emit: (event, data) => void broker.emit(event, data).catch(lost(event)),
  };
}

/** Calls the function of each prefix that a stale pattern starts with; it gets the rest of the pattern. */
export const onStale = (forget: Readonly<Record<string, (key: string) => void>>): EventDefinition<'cache.stale'> => ({
  handle: ({ patterns }) => {
    for (const pattern of patterns)
      for (const [prefix, drop] of Object.entries(forget))
        if (pattern.startsWith(prefix)) drop(pattern.slice(prefix.length));
  },
});

/** Options of a Moleculer call: with `asServiceOf`, the call acts for a service of that tenant instead of the caller. */
function callOptions(
  app: App,
  { timeoutMs, asServiceOf, trace }: NonNullable<Parameters<Call>[2]>,
  meta: Meta,
): { timeout?: number; meta: Meta } {
  return {
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    meta: {
      ...meta,
      ...(asServiceOf === undefined ? {} : { principal: app.principals.forTenant(asServiceOf, app.clock.now()) }),
      ...(trace === undefined ? {} : { trace }),
    },
  };
}

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
  const guard = FOLDER_GUARDS[fullName as ActionName];
  return {
    // For the registry and the REPL. The broker has no validator (start/broker-options.ts), so params are validated once.
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
      const folders = new CallerFolders(folderCacheOf(app), principal);
      if (principal !== null && principal.role !== 'service')
        await assertGuard(app, guard, principal.tenant_id, folders, params as Record<string, unknown>);
      // Copied, because Moleculer merges the meta of nested calls, which may act for a service, into the caller's meta.
      const { principal: signedPrincipal, origin } = meta;
      const context: ActionContext<ActionName> = {
        params: params as never,
        principal,
        get tenantId() {
          if (principal === null) throw new AppError('unauthenticated', 'This call requires a credential');
          return principal.tenant_id;
        },
        folders,
        integratorNode,
        timeoutMs: timeoutMs > 0 ? timeoutMs : null,
        requestId,
        trace: typeof meta.trace === 'string' ? meta.trace : null,
        get origin() {
          return { address: app.clientAddresses.verify(origin, requestId) };
        },
        get log() {
          return withIds(logger, idsOf(requestId, principal, meta.trace));
        },
        call: (target, targetParams, options = {}) =>
          ctx.call<never, object>(
            target,
            targetParams as object,
            callOptions(app, options, { principal: signedPrincipal, token: undefined, request_id: requestId, origin }),
          ),
      };
      try {
        return await handler(context);
      } catch (fault) {
        throw toCallerError(fullName, fault, this.logger);
      }
    },
  };
}

/** Ids in the log lines of a call. */
const idsOf = (requestId: string, principal: Principal | null, trace: unknown): LineIds => ({
  request_id: requestId,
  tenant_id: principal?.tenant_id || undefined,
  trace_id: parseTraceparent(trace)?.traceId,
});

/** The error that the caller gets: `unavailable` when the database cannot be reached. */
function toCallerError(action: string, fault: unknown, log: Logger): unknown {
  if (!isUnreachable(fault)) return fault;
  log.warn(`${action}: database unreachable: ${errorMessage(fault)}`);
  return new AppError('unavailable', 'The database is unreachable; try again', { retry_after: 2 }, { cause: fault });
}

/** Validates params of an action outside of a call. The returned function @throws AppError invalid_request */
export function checkOf<A extends ActionName>(params: Rules): (given: unknown) => ParamsOf<A> {
  return checkerOf(params) as (given: unknown) => ParamsOf<A>;
}

/**
 * Validates params, and drops `null` in optional fields, so that handlers need not distinguish null from absent. The
 * returned function @throws AppError invalid_request
 */
function checkerOf(rules: Rules): (given: unknown) => unknown {
  const check = compiled(rules);
  const optional = Object.entries(rules).flatMap(([name, rule]) => (isOptional(rule) ? [name] : []));
  return (given) => {
    const params = checked(check(), given) as Record<string, unknown>;
    for (const name of optional) if (params[name] === null) delete params[name];
    return params;
  };
}

const isOptional = (rule: unknown): boolean =>
  typeof rule === 'object' &&
  rule !== null &&
  'optional' in rule &&
  rule.optional === true &&
  // Null is a value of these.
  !('type' in rule && rule.type === 'any') &&
  !('nullable' in rule && rule.nullable === true);

type Check = ReturnType<Validator['compile']>;

/** Compiled at the first use: compiling all checks would take a tenth of the start-up time. */
function compiled(rules: Rules): () => Check {
  let check: Check | undefined;
  return () => (check ??= validator.compile({ ...rules }));
}

/** The params without unknown fields and with defaults, and the faults. */
function sanitised(check: Check, given: unknown): { params: object; faults: readonly ValidationError[] } {
  const params: object = typeof given === 'object' && given !== null ? { ...given } : {};
  const result = check(params) as true | ValidationError[];
  return { params, faults: result === true ? [] : result };
}

const MAX_SHOWN_CHARS = 60;

/** The message of a fault. For enumerations the library's message shows the allowed values as the given one. */
function messageOf({ type, field, expected, actual, message }: ValidationError): string {
  if (type !== 'enumValue') return message ?? `wrong (${type})`;
  if (typeof actual !== 'string') return `"${field}" must be one of ${String(expected)}`;
  const value = JSON.stringify(actual);
  const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
  return `"${field}" is ${shown}: allowed are ${String(expected)}`;
}

/** @throws AppError invalid_request with all faults */
function checked(check: Check, given: unknown): unknown {
  const { params, faults } = sanitised(check, given);
  if (faults.length === 0) return params;
  const details = faults.map((fault) => ({ path: fault.field, message: messageOf(fault) }));
  const sentences = details.map(({ message }) =>
    faults.length > 1 && !message.endsWith('.') ? `${message}.` : message,
  );
  throw new AppError('invalid_request', sentences.join(' '), { details });
}
