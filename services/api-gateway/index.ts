import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Service, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { AppError } from '../../lib/errors';
import { eventSchema, serviceContext, type ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { watchGroup } from '../catalogue';
import { Gateway } from './gateway';
import { serveAsset } from './handlers/asset';
import { serveApprovalLink } from './handlers/approval-link';
import { serveChat } from './handlers/chat';
import { serveCsv, wantsCsv } from './handlers/csv';
import { serveBrowser } from './handlers/browser';
import { serveDownload } from './handlers/download';
import { serveHealth } from './handlers/health';
import { serveJson } from './handlers/json';
import { serveMessaging } from './handlers/messaging';
import { serveProviderWebhook } from './handlers/provider-webhook';
import { serveStream } from './handlers/stream';
import { serveUpload } from './handlers/upload';
import { serveWebhook } from './handlers/webhook';
import { serveXml } from './handlers/xml';
import { sendAnswer } from './http/answer';
import { clientOf } from './http/client';
import { answerClientError } from './http/client-error';
import { errorAnswer } from './http/error-answer';
import { answerOptions, setCommonHeaders } from './http/headers';
import { HttpMeter } from './http/meter';
import { claimsOf, type GatewayRequest, prefers, requestIdOf, splitTarget } from './http/request';
import { neighboursStarted } from './neighbours';
import { Router } from './router';
import { ROUTES } from './routes';
import { CHAT_DOORS } from './routes/chat';
import type { Route } from './routes/route';
import { traceRequest } from './http/tracing';
import { type Shutdown, shutdownOf } from './shutdown';
import { Watchers } from './sse/watchers';

const KEEP_ALIVE_MS = 65_000;
/** How long a request may take to arrive, beyond what it may take to be answered. */
const RECEIVE_SLACK_MS = 5_000;
/** Streams say something twice as often, so it is only clients who take nothing that are silent for so long. */
const SILENCE_MS = 30_000;

type Handler = (request: GatewayRequest, response: ServerResponse) => Promise<void>;
/** What of moleculer-web's alias objects is used here. */
interface Alias {
  readonly route: object;
  readonly method: string;
  readonly fullPath: string;
  readonly handler: Handler;
}
/** What moleculer-web calls a route's handler with. */
type Routed = [context: unknown, route: unknown, GatewayRequest, ServerResponse, found: { alias: Alias }];
const inherited = ApiGateway as unknown as ServiceSchema & {
  methods: { httpHandler(this: Service, request: IncomingMessage, response: ServerResponse): Promise<void> };
};

/** Its own start never ends when the address cannot be had, or ends the process. */
const withoutListening = { ...inherited, started: undefined } as ServiceSchema;

/** For moleculer-web, which need not know how much of a path a segment takes. */
const aliasName = ({ method, path }: Route): string => `${method} ${path.replace('*', '')}`;

const isStream = ({ match, headers }: GatewayRequest): boolean =>
  match.kind === 'found' &&
  (match.route.kind === 'stream' || (match.route.kind === 'chat' && prefers(headers.accept, 'text/event-stream')));

/** What moleculer-web adds to the service. */
interface Vars {
  server: Server;
  aliases: Alias[];
}

/** The HTTP door: moleculer-web, with its routes, answers and errors from our own tables. */
export const apiGatewayService = (app: App): ServiceSchema => {
  const router = new Router(ROUTES);
  const watchers = new Watchers(app.clock, (ids, said) =>
    service.broadcast('execution.watch', { ids, node: app.nodeId, ...(said ? { said } : {}) }),
  );
  const aliases = new Map<string, Alias>();
  const meter = new HttpMeter(app.metrics);
  let gateway: Gateway;
  let service: ServiceContext;
  let shutdown: Shutdown | null = null;
  let stopped = false;

  const dispatcher =
    (route: Route): Handler =>
    async (request, response) => {
      const params = request.match.kind === 'found' ? request.match.params : {};
      await gateway.admit(route, request, response);
      switch (route.kind) {
        case 'json':
          return route.csv !== null && wantsCsv(request)
            ? serveCsv(gateway, route, route.csv, request, response)
            : serveJson(gateway, route, params, request, response);
        case 'webhook':
          return serveWebhook(gateway, route, params.id as string, request, response);
        case 'provider webhook':
          return serveProviderWebhook(gateway, route, request, response);
        case 'messaging':
          return serveMessaging(gateway, route, params.id as string, request, response);
        case 'stream':
          return serveStream(gateway, watchers, route, params.id as string, request, response);
        case 'download':
          return serveDownload(gateway, route, params, request, response);
        case 'upload':
          return serveUpload(gateway, route, params, request, response);
        case 'chat':
          return serveChat(gateway, watchers, params.slug as string, request, response);
        case 'approval link':
          return serveApprovalLink(gateway, params, request, response);
        case 'browser':
          return serveBrowser(gateway, route, request, response);
        case 'xml':
          return serveXml(gateway, route, request, response);
        case 'health':
          return serveHealth(gateway, route, request, response);
        case 'asset':
          return serveAsset(route, request, response);
      }
    };

  const onError = (request: GatewayRequest, response: ServerResponse, error: unknown): void => {
    const answer = errorAnswer(error, request.requestId);
    if (answer.code === 'internal') {
      gateway.log.error(`${request.method} ${request.pathname} failed, request ${request.requestId}`, error, {
        request_id: request.requestId,
        trace_id: request.span?.context.traceId,
      });
    }
    if (response.headersSent) response.destroy();
    else sendAnswer(response, answer);
  };

  /** Finds the route. False when the request is answered already. @throws AppError when there is none */
  const open = (request: GatewayRequest, response: ServerResponse): boolean => {
    const target = splitTarget(request.url);
    request.pathname = target?.pathname ?? request.url;
    request.search = target?.search ?? '';
    request.match = target === null ? { kind: 'nothing' } : router.match(request.method, request.pathname);
    if (request.method === 'OPTIONS') {
      answerOptions(response, request.match.kind === 'wrong method' ? request.match.allow : []);
      return false;
    }
    if (request.match.kind === 'nothing') throw new AppError('not_found', 'There is nothing at this path');
    if (request.match.kind === 'wrong method') {
      response.setHeader('Allow', [...request.match.allow, 'OPTIONS'].join(', '));
      throw new AppError('method_not_allowed', `${request.method} is not possible here`);
    }
    return true;
  };

  const schema: ServiceSchema<Record<string, unknown>, object, Vars> = {
    name: 'api-gateway',
    mixins: [withoutListening],
    settings: {
      ip: app.config.host,
      port: app.config.port,
      requestTimeout: app.config.requestTimeoutMs + RECEIVE_SLACK_MS,
      httpServerTimeout: Math.max(app.config.requestTimeoutMs + RECEIVE_SLACK_MS, SILENCE_MS),
      logRequest: null,
      logResponse: null,
      logRouteRegistration: null,
      optimizeOrder: false,
      onError,
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
          pathToRegexpOptions: { sensitive: true },
          aliases: Object.fromEntries(ROUTES.map((route) => [aliasName(route), dispatcher(route)])),
        },
      ],
      $secureSettings: ['ip', 'port', 'routes'],
    },
    // Routes come from the tables alone; nobody on the bus may add or list any.
    actions: { addRoute: false, removeRoute: false, listAliases: false },
    methods: {
      /** Every request begins here: what all answers carry is set before anything can fail. */
      async httpHandler(this: Service, request: GatewayRequest, response: ServerResponse): Promise<void> {
        meter.begin(request, response);
        request.requestId = requestIdOf(request.headers['x-request-id']);
        if (app.tracer !== null) traceRequest(app.tracer, app.clock, request, response);
        request.client = clientOf(claimsOf(request), app.config.trustProxy);
        const origins = request.url.startsWith(CHAT_DOORS) ? '*' : app.config.corsOrigins;
        setCommonHeaders(request, response, request.requestId, origins);
        try {
          if (!open(request, response)) return;
        } catch (error) {
          onError(request, response, error);
          return;
        }
        await inherited.methods.httpHandler.call(this, request, response);
      },
      /** The route is known by now, so what moleculer-web takes for the URL is the name of the route's alias. */
      parseQueryString: ({ match }: GatewayRequest) => ({
        query: {},
        url: match.kind === 'found' ? aliasName(match.route) : '',
      }),
      resolveAlias: (name: string) => ({ alias: aliases.get(name), params: {} }),
      /**
       * Calls the alias, and no more. moleculer-web's own waits for the response's `finish` too, by a promise that lets each
       * request hold the next: once one of them was old, all the others lived on until a full collection.
       */
      async routeHandler(...[, , request, response, found]: Routed): Promise<true> {
        response.once('error', (error) => onError(request, response, error));
        await found.alias.handler(request, response);
        return true;
      },
      errorHandler: onError,
    },
    events: {
      'execution.moved': eventSchema<'execution.moved'>({
        group: watchGroup(app.nodeId),
        params: { id: { type: 'string', max: 100 } },
        handle: ({ id }) => watchers.moved(id),
      }),
      'execution.said': eventSchema<'execution.said'>({
        group: watchGroup(app.nodeId),
        params: {
          id: { type: 'string', max: 100 },
          step_id: { type: 'string', max: 100 },
          take: { type: 'string', max: 100 },
          at: { type: 'number', integer: true, min: 0 },
          text: { type: 'string', max: 1_000_000 },
        },
        handle: (said) => watchers.said(said),
      }),
    },
    created() {
      gateway = new Gateway(app, this.broker, this.logger);
      service = serviceContext(app, this.broker, this.logger);
      for (const alias of this.aliases) aliases.set(`${alias.method} ${alias.fullPath}`, alias);
    },
    async started() {
      this.server.keepAliveTimeout = KEEP_ALIVE_MS;
      // Above the former, or a socket reused at its last moment is reset.
      this.server.headersTimeout = KEEP_ALIVE_MS + 1_000;
      this.server.on('clientError', answerClientError);
      // An expectation that nobody knows may be left unmet (RFC 9110 section 10.1.1); Node would answer it without a body.
      this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
      const leaving = shutdownOf(this.server);
      shutdown = leaving;
      await neighboursStarted(this.broker, this.name, () => stopped || app.stopping.aborted);
      if (stopped) return;
      await listen(this.server, app.config);
      // Requests under way are answered, as the broker waits for them; no others are taken, and streams end.
      app.stopping.addEventListener(
        'abort',
        () => {
          watchers.close();
          leaving.begin();
        },
        { once: true },
      );
    },
    async stopped() {
      stopped = true;
      watchers.close();
      // Null where another service has failed before this one was started.
      await shutdown?.finish();
      await gateway.notebook.close();
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
