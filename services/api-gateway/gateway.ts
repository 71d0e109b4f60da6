import { CallerFolders } from '../../mixins/folders/caller-folders';
import { folderCacheOf } from '../../mixins/folders/tenant-folders';
import type { ServerResponse } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import { networkOf } from '../../lib/client-network';
import { sha256 } from '../../lib/crypto';
import { AppError, errorCode } from '../../lib/errors';
import { nothingHere } from '../../lib/nothing-here';
import type { CountedClient } from '../../lib/rate-limit/client-limits';
import { ReadThrough } from '../../lib/read-through';
import { TokenBuckets } from '../../lib/token-bucket';
import { traceparentOf } from '../../lib/tracing';
import { NO_TENANT } from '../../lib/principal';
import { assertEnrolled, assertOpen, assertRole } from '../../mixins/caller';
import type { App } from '../app';
import { type ActionName, ACTIONS, type Call, type ParamsOf, type ResultOf } from '../../contracts/catalogue';
import type { ActionContract } from '../../contracts/contract';
import type { SeenDelivery } from '../../contracts/channels/views';
import { Brandings } from './brandings';
import { DeliveryBatcher } from './deliveries/batcher';
import { ChatLimiter } from './chat-limiter';
import { Forms } from './forms/definition';
import { type BodyRules, readBody } from './http/body';
import { BodyBudget } from './http/body-budget';
import { addressOf, bearerOf, type GatewayRequest } from './http/request';
import { UploadLimiter } from './http/upload-limiter';
import type { Route, ServedRoute } from './routes/route';
import { WebhookStarts } from './webhook-starts';

/** How many bodies of the largest size may be in memory at once. */
const LARGE_BODIES = 4;
/** Files that come in at once. Of each, some 2 MiB are in memory: a part as it comes, in base64, and as a message. */
const UPLOADS = 32;
/** How long a stream may go on after its credential was revoked, at most, beside the time between its checks. */
const IDENTIFIED_MS = 1_000;
/** Refusals of a credential that would give away that there is a route. */
const HIDES_ROUTES: ReadonlySet<string | null | undefined> = new Set([
  'unauthenticated',
  'rate_limited',
  'invalid_request',
]);

/** What every handler works with: the way to the services, and who may come in. */
export class Gateway {
  readonly #identified: ReadThrough<string | null>;
  readonly bodies: BodyBudget;
  readonly uploads = new UploadLimiter(UPLOADS);
  readonly chats: ChatLimiter;
  readonly deliveries: DeliveryBatcher;
  readonly webhooks: WebhookStarts;
  readonly forms: Forms;
  readonly brandings: Brandings;
  readonly buckets: TokenBuckets;

  constructor(
    readonly app: App,
    readonly broker: ServiceBroker,
    readonly log: ServiceBroker['logger'],
  ) {
    this.webhooks = new WebhookStarts(app);
    this.brandings = new Brandings(app, (message, fault) => log.warn(message, fault));
    this.forms = new Forms(app, this.webhooks.starts);
    this.bodies = new BodyBudget(LARGE_BODIES * Math.max(app.config.webhookLimit, app.config.bodyLimit));
    this.buckets = new TokenBuckets(app.shared);
    this.deliveries = new DeliveryBatcher({
      buckets: this.buckets,
      clock: app.clock,
      keep: (deliveries) => this.#keep(deliveries),
      warn: (message) => log.warn(message),
    });
    this.#identified = new ReadThrough({ max: 20_000, ttlMs: IDENTIFIED_MS, now: () => app.clock.now() });
    this.chats = new ChatLimiter(this.buckets);
  }

  /**
   * Calls an action for a client. Without a credential (null) the gateway calls as a service: it has rate-limited the client, and
   * such actions are open to no other caller on the bus. It signs the client address, too. Params are
   * checked by the action.
   */
  call<A extends ActionName>(
    action: A,
    params: ParamsOf<A>,
    principal: string | null,
    request: GatewayRequest,
    timeoutMs = this.app.config.requestTimeoutMs,
  ): Promise<ResultOf<A>> {
    const { requestId } = request;
    return this.broker.call<ResultOf<A>, ParamsOf<A>>(action, params, {
      timeout: timeoutMs,
      requestID: requestId,
      meta: {
        principal: principal ?? this.#asService,
        request_id: requestId,
        origin: this.app.clientAddresses.sign(addressOf(request), requestId),
        ...(request.span === undefined ? {} : { trace: traceparentOf(request.span.context) }),
      },
    });
  }

  /** Calls of services on behalf of a request, each for the tenant that the call names. */
  caller(request: GatewayRequest): Call {
    const { principals, clock } = this.app;
    return (action, params, { asServiceOf, timeoutMs } = {}) =>
      this.call(action, params, principals.forTenant(asServiceOf ?? NO_TENANT, clock.now()), request, timeoutMs);
  }

  /** Hands on what came in, on the gateway's own account: the requests are over. */
  #keep(deliveries: SeenDelivery[]): Promise<ResultOf<'channels.keep_deliveries'>> {
    return this.broker.call<ResultOf<'channels.keep_deliveries'>, ParamsOf<'channels.keep_deliveries'>>(
      'channels.keep_deliveries',
      { deliveries },
      { timeout: this.app.config.requestTimeoutMs, meta: { principal: this.#asService } },
    );
  }

  get #asService(): string {
    return this.app.principals.forTenant(NO_TENANT, this.app.clock.now());
  }

  /** Counts the request against its credential, or against its address where the route asks for none. @throws AppError */
  async admit(route: ServedRoute, request: GatewayRequest, response: ServerResponse): Promise<void> {
    const setHeader = (name: string, value: string): void => void response.setHeader(name, value);
    await this.app.limits?.admit(countedClient(route, request), this.app.clock.now(), setHeader);
  }

  /** The body of a request. Reading a large one counts as several requests. @throws AppError */
  async body(route: ServedRoute, request: GatewayRequest, response: ServerResponse, rules: BodyRules): Promise<Buffer> {
    const bytes = await readBody(request, rules, this.bodies.share(response));
    await this.app.limits?.chargeBody(countedClient(route, request), bytes.length, this.app.clock.now());
    return bytes;
  }

  /** Whose requests with the same Idempotency-Key are the same: a user's, by any session or API key with the same scope. */
  idempotencyScope(principal: string | null, request: GatewayRequest): string {
    const caller = this.app.principals.verify(principal, this.app.clock.now());
    const who =
      caller === null
        ? ''
        : `${caller.tenant_id}\n${caller.user_id ?? caller.kind}${caller.scope === undefined ? '' : `\n${caller.scope}`}`;
    return sha256(`${who}\n${request.method}\n${request.pathname}`);
  }

  /** The rights on folders of a verified caller. */
  foldersOf(principal: string | null): CallerFolders {
    const { app } = this;
    return new CallerFolders(folderCacheOf(app), app.principals.verify(principal, app.clock.now()));
  }

  /** The tenant that a principal vouched for here acts for. */
  tenantOf(principal: string | null): string {
    return this.app.principals.verify(principal, this.app.clock.now())?.tenant_id ?? NO_TENANT;
  }

  /**
   * Checks the role, the second factor and whether the tenant is suspended as the action of the route will: before a body is read and parsed, and before an answer that is kept
   * for an Idempotency-Key is sent again. @throws AppError forbidden, second_factor_required, tenant_suspended
   */
  assertRole(route: Route, principal: string | null): void {
    if (route.access === 'public' || route.access === 'operator') return;
    const caller = this.app.principals.verify(principal, this.app.clock.now());
    if (caller === null || caller.role === 'service') return;
    const action: ActionContract | null = route.kind === 'json' ? ACTIONS[route.action] : null;
    assertRole({ role: caller.role, scope: caller.scope }, { access: route.access, runs: action?.runs });
    assertEnrolled(caller, action?.withoutSecondFactor === true);
    assertOpen(caller, action ?? route);
  }

  /**
   * The same as `identify`, at most some seconds old: for streams, many of which one credential may have open.
   * @throws AppError unauthenticated, rate_limited
   */
  identifyShared(route: Route, request: GatewayRequest): Promise<string | null> {
    const token = bearerOf(request);
    return route.access === 'public' || token === null
      ? this.identify(route, request)
      : this.#identified.get(sha256(token), () => this.identify(route, request));
  }

  /** Which of some runs have moved, on the gateway's own account; none when the executor cannot be asked. */
  async movedRuns(runs: { id: string; next: number }[]): Promise<readonly string[]> {
    const meta = { principal: this.#asService };
    try {
      const { ids } = await this.broker.call<ResultOf<'executions.moved'>, ParamsOf<'executions.moved'>>(
        'executions.moved',
        { runs },
        { timeout: this.app.config.requestTimeoutMs, meta },
      );
      return ids;
    } catch (fault) {
      this.log.warn('The runs that streams follow could not be looked at; they are looked at again', fault);
      return [];
    }
  }

  /** The signed principal of who sent the request; null on public routes. @throws AppError unauthenticated, rate_limited */
  async identify(route: Route, request: GatewayRequest): Promise<string | null> {
    if (route.access === 'public') return null;
    const principal = await this.identifyIfGiven(request);
    if (principal !== null) return principal;
    throw new AppError('unauthenticated', 'A credential is needed: send Authorization: Bearer <token or API key>');
  }

  /** Answers as if there were no route, unless the sender is an operator. @throws AppError not_found */
  async assertOperator(request: GatewayRequest): Promise<void> {
    const principal = await this.identifyIfGiven(request).catch((fault: unknown) => {
      if (HIDES_ROUTES.has(errorCode(fault))) return null;
      throw fault;
    });
    if (this.app.principals.verify(principal, this.app.clock.now())?.operator !== true) throw nothingHere();
  }

  /** The signed principal of the sender; null for a request without a credential. @throws AppError unauthenticated, rate_limited */
  async identifyIfGiven(request: GatewayRequest): Promise<string | null> {
    const token = bearerOf(request);
    if (token === null) return null;
    const verify = () => this.call('auth.verify', { token }, null, request);
    const { limits, clock } = this.app;
    const shown = { hash: sha256(token), source: networkOf(addressOf(request)).network };
    const { principal } = await (limits?.verified(shown, clock.now(), verify) ?? verify());
    return principal;
  }
}

/** Whom a request counts for. The credential has not been looked at yet: it may be kilobytes of anything, so it is hashed. */
function countedClient(route: ServedRoute, request: GatewayRequest): CountedClient {
  const credential = route.access === 'public' ? null : bearerOf(request);
  return credential === null
    ? { kind: 'address', ...networkOf(addressOf(request)) }
    : { kind: 'credential', hash: sha256(credential) };
}
