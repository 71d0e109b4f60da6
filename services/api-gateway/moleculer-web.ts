import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Service, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { GatewayRequest } from './http/request';

/** What the gateway does with a request. */
interface RequestHandling {
  /** Sets what every answer carries, and finds the route; false when the request is answered already. */
  readonly begin: (request: GatewayRequest, response: ServerResponse) => boolean;
  readonly handle: (request: GatewayRequest, response: ServerResponse) => Promise<void>;
  readonly onError: (request: GatewayRequest, response: ServerResponse, error: unknown) => void;
}

type Routed = [context: unknown, route: unknown, GatewayRequest, ServerResponse];

const inherited = ApiGateway as unknown as ServiceSchema & {
  actions: { rest: object };
  methods: { httpHandler(this: Service, request: IncomingMessage, response: ServerResponse): Promise<void> };
};

/**
 * The mixin of moleculer-web: it makes the HTTP server, and of each request a call of `rest`, so that a stop waits for
 * its answer. All that is overridden of it is here, each with the fault that needs it.
 */
export const moleculerWeb = ({ begin, handle, onError }: RequestHandling): ServiceSchema => ({
  ...inherited,
  // It never ends when the address cannot be had, or ends the process with the data still open. The service listens.
  started: undefined,
  // The others add, remove and list routes, for anyone on the bus.
  actions: { rest: inherited.actions.rest },
  methods: {
    ...inherited.methods,
    // An error before its own `try` begins would end the process. What all answers carry, errors too, is set before.
    async httpHandler(this: Service, request: GatewayRequest, response: ServerResponse): Promise<void> {
      if (begin(request, response)) await inherited.methods.httpHandler.call(this, request, response);
    },
    // It would parse the whole query, bounded by nothing, and know no target in absolute form. The route is known by now.
    parseQueryString: () => ({ query: {}, url: '/' }),
    // Its own waits for the response's `finish` too, by a promise that lets each request hold the next: 25,000 answers a
    // second instead of 45,000 (docs/decisions/request-objects-are-released.md).
    async routeHandler(...[, , request, response]: Routed): Promise<true> {
      response.once('error', (error) => onError(request, response, error));
      await handle(request, response);
      return true;
    },
    // Its own writes the stack and the data of every error to the log, and what they hold of requests.
    errorHandler: onError,
  },
});
