import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { AppError, errorMessage } from '../../lib/errors';
import { nothingHere } from '../../lib/nothing-here';
import { eventSchema, serviceContext, type ServiceContext } from '../../mixins/service';
import { type App, appOf } from '../app';
import { watchGroup } from '../../contracts/events';
import { ConsoleSite } from './console/site';
import { Gateway } from './gateway';
import { serveAsset } from './handlers/asset';
import { serveApprovalLink } from './handlers/approval-link';
import { serveChat } from './handlers/chat';
import { serveForm } from './handlers/form';
import { serveFile, wantsFile } from './handlers/list-file';
import { serveBrowser } from './handlers/browser';
import { serveDownload } from './handlers/download';
import { redeemDownloadLink } from './handlers/download-link';
import { serveHealth } from './handlers/health';
import { serveJson } from './handlers/json';
import { serveMessaging } from './handlers/messaging';
import { serveProviderWebhook } from './handlers/provider-webhook';
import { isScimPath, scimError, serveScim } from './handlers/scim';
import { serveStream } from './handlers/stream';
import { serveTenantEvents } from './handlers/tenant-events';
import { serveUpload } from './handlers/upload';
import { serveVisitor } from './handlers/visitor';
import { serveWebhook } from './handlers/webhook';
import { serveXml } from './handlers/xml';
import { sendShort } from './http/answer';
import { clientOf } from './http/client';
import { answerClientError } from './http/client-error';
import { errorAnswer } from './http/error-answer';
import { answerOptions, setCommonHeaders } from './http/headers';
import { HttpMeter } from './http/meter';
import { claimsOf, type GatewayRequest, prefers, requestIdOf, splitTarget } from './http/request';
import { moleculerWeb } from './moleculer-web';
import { localServicesStarted } from './local-services';
import { Router } from './router';
import { SERVED_ROUTES } from './routes';
import { CHAT_ENDPOINTS } from './routes/chat';
import { traceRequest } from './http/tracing';
import { type Shutdown, shutdownOf } from './shutdown';
import { TenantWatchers } from './sse/tenant-watchers';
import { Watchers } from './sse/watchers';

const KEEP_ALIVE_MS = 65_000;
/** Time for a request to arrive, in addition to the request timeout. */
const RECEIVE_SLACK_MS = 5_000;
/** Streams send a comment twice as often, so only clients that read nothing are silent for so long. */
const SILENCE_MS = 30_000;

const UNTRUSTED_PROXY =
  'Requests carry X-Forwarded-For, and TRUST_PROXY is not set: all clients behind a proxy count as one address, so failed logins and requests of one keep out the others. Set TRUST_PROXY to the addresses of the proxy';

const isStream = ({ match, headers }: GatewayRequest): boolean =>
  match.kind === 'found' &&
  (match.route.kind === 'stream' ||
    match.route.kind === 'tenant stream' ||
    (match.route.kind === 'chat' && prefers(headers.accept, 'text/event-stream')));

/** What moleculer-web adds to the service. */
interface Vars {
  server: Server;
}

/** The HTTP endpoint: moleculer-web with our own routes, responses and errors. */
export const apiGatewayService = (app: App): ServiceSchema => {
  const router = new Router(SERVED_ROUTES);
  const matchOf = (method: string, pathname: string) => router.match(method, pathname);
  const watchers = new Watchers({
    clock: app.clock,
    announce: (ids, output) =>
      service.broadcast('execution.watch', { ids, node: app.nodeId, ...(output ? { said: true } : {}) }),
    look: (runs) => gateway.movedRuns(runs),
    onError: (error) => service.log.warn('Watched runs could not be checked; the next check follows', error),
  });
  const tenantWatchers = new TenantWatchers({
    clock: app.clock,
    counts: watchers.counts,
    announce: (tenant_ids) => service.broadcast('tenant.watch', { tenant_ids, node: app.nodeId }),
    onError: (error) =>
      service.log.warn('Subscriptions to tenants could not be renewed; they are renewed again', error),
  });
  const meter = new HttpMeter(app.metrics);
  const consoleSite = new ConsoleSite(app.config.console);
  let gateway: Gateway;
  let service: ServiceContext;
  let shutdown: Shutdown | null = null;
  let stopped = false;
  let warnedOfProxy = false;

  const handle = async (request: GatewayRequest, response: ServerResponse): Promise<void> => {
    const { match } = request;
    if (match.kind !== 'found') return;
    const { route, params } = match;
    if (route.access === 'operator') await gateway.assertOperator(request);
    await gateway.admit(route, request, response);
    switch (route.kind) {
      case 'json':
        return route.file !== null && wantsFile(route.file, request)
          ? serveFile(gateway, route, route.file, params, request, response)
          : serveJson(gateway, route, params, request, response);
      case 'webhook':
        return serveWebhook(gateway, route, params.id as string, request, response);
      case 'provider webhook':
        return serveProviderWebhook(gateway, route, request, response);
      case 'messaging':
        return serveMessaging(gateway, route, params.id as string, request, response);
      case 'stream':
        return serveStream(gateway, watchers, route, params.id as string, request, response);
      case 'download link':
        await redeemDownloadLink(gateway, matchOf, params.token as string, request, response);
        return handle(request, response);
      case 'tenant stream':
        return serveTenantEvents(gateway, tenantWatchers, route, request, response);
      case 'download':
        return serveDownload(gateway, route, params, request, response);
      case 'upload':
        return serveUpload(gateway, route, params, request, response);
      case 'chat':
        return serveChat(gateway, watchers, route, params.slug as string, request, response);
      case 'form':
        return serveForm(gateway, route, params, request, response);
      case 'scim':
        return serveScim(gateway, route, params.path ?? '', request, response);
      case 'visitor':
        return serveVisitor(gateway, consoleSite, route, params, request, response);
      case 'approval link':
        return serveApprovalLink(gateway, params, request, response);
      case 'browser':
        return serveBrowser(gateway, route, request, response);
      case 'xml':
        return serveXml(gateway, route, request, response);
      case 'health':
        return serveHealth(gateway, route, request, response);
      case 'asset':
        return serveAsset(route, consoleSite.isOn, request, response);
      case 'console':
        return consoleSite.serve(params.path ?? '', request, response);
    }
  };

  const onError = (request: GatewayRequest, response: ServerResponse, error: unknown): void => {
    const audience =
      request.match?.kind === 'found' && request.match.route.access === 'public' ? 'public' : 'signed in';
    const answer = errorAnswer(error, request.requestId, audience);
    if (audience === 'public' && answer.code === 'provider_failed')
      gateway.log.warn(`A provider failed, request ${request.requestId}: ${errorMessage(error)}`);
    if (answer.code === 'internal') {
      gateway.log.error(`${request.method} ${request.pathname} failed, request ${request.requestId}`, error, {
        request_id: request.requestId,
        trace_id: request.span?.context.traceId,
      });
    }
    if (response.headersSent) response.destroy();
    else if (isScimPath(request.pathname)) scimError(response, answer);
    else sendShort(response, answer);
  };

  /** Finds the route. False when the request is answered already. @throws AppError when there is none */
  const findRoute = (request: GatewayRequest, response: ServerResponse): boolean => {
    const target = splitTarget(request.url);
    request.pathname = target?.pathname ?? request.url;
    request.search = target?.search ?? '';
    request.match = target === null ? { kind: 'nothing' } : router.match(request.method, request.pathname);
    if (request.method === 'OPTIONS') {
      answerOptions(response, request.match.kind === 'wrong method' ? request.match.allow : []);
      return false;
    }
    if (request.match.kind === 'nothing') throw nothingHere();
    if (request.match.kind === 'wrong method') {
      response.setHeader('Allow', [...request.match.allow, 'OPTIONS'].join(', '));
      throw new AppError('method_not_allowed', `${request.method} is not possible here`);
    }
    return true;
  };

  const begin = (request: GatewayRequest, response: ServerResponse): boolean => {
    meter.begin(request, response);
    request.requestId = requestIdOf(request.headers['x-request-id']);
    if (app.tracer !== null) traceRequest(app.tracer, app.clock, request, response);
    request.client = clientOf(claimsOf(request), app.config.trustProxy);
    if (!warnedOfProxy && app.config.trustProxy.length === 0 && request.headers['x-forwarded-for'] !== undefined) {
      warnedOfProxy = true;
      gateway.log.warn(UNTRUSTED_PROXY);
    }
    const origins = request.url.startsWith(CHAT_ENDPOINTS) ? '*' : app.config.corsOrigins;
    setCommonHeaders(request, response, request.requestId, origins);
    try {
      return findRoute(request, response);
    } catch (error) {
      onError(request, response, error);
      return false;
    }
  };

  const schema: ServiceSchema<Record<string, unknown>, object, Vars> = {
    name: 'api-gateway',
    mixins: [moleculerWeb({ begin, handle, onError })],
    settings: {
      ip: app.config.host,
      port: app.config.port,
      requestTimeout: app.config.requestTimeoutMs + RECEIVE_SLACK_MS,
      httpServerTimeout: Math.max(app.config.requestTimeoutMs + RECEIVE_SLACK_MS, SILENCE_MS),
      logRequest: null,
      logResponse: null,
      logRouteRegistration: null,
      optimizeOrder: false,
      // Streams must not hold up a stop that waits for open calls.
      rootCallOptions: (options: { requestID?: string; tracking?: boolean }, request: GatewayRequest) => {
        options.requestID = request.requestId;
        if (isStream(request)) options.tracking = false;
      },
      routes: [
        {
          path: '/',
          mappingPolicy: 'restrict',
          bodyParsers: false,
          mergeParams: false,
          logging: false,
        },
      ],
      $secureSettings: ['ip', 'port', 'routes'],
    },
    events: {
      'cache.stale': eventSchema('cache.stale', {
        handle: ({ patterns }) => {
          for (const pattern of patterns) {
            gateway.webhooks.forget(pattern);
            gateway.brandings.forget(pattern);
          }
        },
      }),
      'execution.moved': eventSchema('execution.moved', {
        group: watchGroup(app.nodeId),
        handle: ({ id }) => watchers.moved(id),
      }),
      'tenant.changed': eventSchema('tenant.changed', {
        group: watchGroup(app.nodeId),
        handle: ({ tenant_id, ...event }) => tenantWatchers.onEvent(tenant_id, event),
      }),
      'execution.said': eventSchema('execution.said', {
        group: watchGroup(app.nodeId),
        handle: (event) => watchers.onOutput(event),
      }),
    },
    created() {
      gateway = new Gateway(app, this.broker, this.logger);
      service = serviceContext(app, this.broker, this.logger);
    },
    async started() {
      this.server.keepAliveTimeout = KEEP_ALIVE_MS;
      // Above the former, or a socket reused at its last moment is reset.
      this.server.headersTimeout = KEEP_ALIVE_MS + 1_000;
      this.server.on('clientError', answerClientError);
      // An unknown expectation may be ignored (RFC 9110 section 10.1.1); Node would answer it without a body.
      this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
      const leaving = shutdownOf(this.server);
      shutdown = leaving;
      await localServicesStarted(this.broker, this.name, () => stopped || app.stopping.aborted);
      if (stopped) return;
      await listen(this.server, app.config);
      // Requests under way are answered, as the broker waits for them; no others are taken, and streams end.
      app.stopping.addEventListener(
        'abort',
        () => {
          watchers.close();
          tenantWatchers.close();
          leaving.begin();
        },
        { once: true },
      );
    },
    async stopped() {
      stopped = true;
      watchers.close();
      tenantWatchers.close();
      // Null where another service has failed before this one was started.
      await shutdown?.finish();
      await gateway.deliveries.close();
    },
  };
  // The framework's type knows no settings but its own.
  return schema as unknown as ServiceSchema;
};

/** @throws Error of the system, which names the address, when it cannot be had */
async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  // moleculer-web's listener would end the process on the spot, with the data still open.
  server.removeAllListeners('error');
  server.listen(port, host);
  await once(server, 'listening');
}

export default (broker: ServiceBroker): ServiceSchema => apiGatewayService(appOf(broker));
