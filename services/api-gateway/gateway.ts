import type { ServerResponse } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import { sha256 } from '../../lib/crypto';
import { AppError, errorCode } from '../../lib/errors';
import { traceparentOf } from '../../lib/tracing';
import { NO_TENANT } from '../../mixins/principal';
import type { App } from '../app';
import type { ActionName, ParamsOf, ResultOf } from '../catalogue';
import type { SeenDelivery } from '../channels/contract';
import { Notebook } from './deliveries/notebook';
import { RememberedIds } from './deliveries/remembered-ids';
import { ChatGate } from './chat-gate';
import { BodyBudget } from './http/body-budget';
import { addressOf, bearerOf, type GatewayRequest } from './http/request';
import { UploadPlaces } from './http/upload-places';
import { RateLimiter } from './rate-limit';
import type { Route } from './routes/route';
import { Strangers } from './strangers';

/** How many bodies of the largest size may be in memory at once. */
const LARGE_BODIES = 4;
/** Files that come in at once. Of each, some 2 MiB are in memory: a part as it comes, in base64, and as a message. */
const UPLOADS = 32;

/** What every handler works with: the way to the services, and who may come in. */
export class Gateway {
  readonly #limiter: RateLimiter | null;
  readonly #strangers: Strangers | null;
  readonly bodies: BodyBudget;
  readonly uploads = new UploadPlaces(UPLOADS);
  readonly chats: ChatGate;
  readonly notebook: Notebook;
  /** Workflows that want the bytes of bodies, as far as requests have shown. */
  readonly rawWanted = new RememberedIds();

  constructor(
    readonly app: App,
    readonly broker: ServiceBroker,
    readonly log: ServiceBroker['logger'],
  ) {
    this.bodies = new BodyBudget(LARGE_BODIES * Math.max(app.config.webhookLimit, app.config.bodyLimit));
    this.notebook = new Notebook({
      clock: app.clock,
      keep: (deliveries) => this.#keep(deliveries),
      warn: (message) => log.warn(message),
    });
    this.chats = new ChatGate(app.shared);
    const { rateLimit } = app.config;
    this.#limiter = rateLimit === null ? null : new RateLimiter(rateLimit, app.shared);
    this.#strangers = rateLimit === null ? null : new Strangers(rateLimit);
  }

  /**
   * Calls an action for a client. For one who showed nothing (null) the gateway vouches itself: it has counted him, and
   * what he may ask without a credential is open to nobody else on the bus. It vouches for his address, too. Params are
   * checked by the action.
   */
  call<A extends ActionName>(
    action: A,
    params: ParamsOf<A>,
    principal: string | null,
    request: GatewayRequest,
  ): Promise<ResultOf<A>> {
    const { requestId } = request;
    return this.broker.call<ResultOf<A>, ParamsOf<A>>(action, params, {
      timeout: this.app.config.requestTimeoutMs,
      requestID: requestId,
      meta: {
        principal: principal ?? this.#asService,
        request_id: requestId,
        origin: this.app.origins.sign(addressOf(request), requestId),
        ...(request.span === undefined ? {} : { trace: traceparentOf(request.span.context) }),
      },
    });
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
  async admit(route: Route, request: GatewayRequest, response: ServerResponse): Promise<void> {
    if (this.#limiter === null) return;
    const credential = route.access === 'public' ? null : bearerOf(request);
    // Nobody has looked at the credential yet: it may be kilobytes of anything, and tens of thousands are remembered.
    const client = credential === null ? addressOf(request) : sha256(credential);
    await this.#limiter.admit(client, this.app.clock.now(), (name, value) => response.setHeader(name, value));
  }

  /** The tenant that a principal vouched for here acts for. */
  tenantOf(principal: string | null): string {
    return this.app.principals.verify(principal, this.app.clock.now())?.tenant_id ?? NO_TENANT;
  }

  /** The signed principal of who sent the request; null on public routes. @throws AppError unauthenticated, rate_limited */
  async identify(route: Route, request: GatewayRequest): Promise<string | null> {
    if (route.access === 'public') return null;
    const token = bearerOf(request);
    if (token === null) {
      throw new AppError('unauthenticated', 'A credential is needed: send Authorization: Bearer <token or API key>');
    }
    const credential = sha256(token);
    const now = this.app.clock.now();
    this.#strangers?.admit(credential, addressOf(request), now);
    try {
      const { principal } = await this.call('auth.verify', { token }, null, request);
      this.#strangers?.accepted(credential);
      return principal;
    } catch (error) {
      if (errorCode(error) === 'unauthenticated') this.#strangers?.refused(credential, addressOf(request), now);
      throw error;
    }
  }
}
