import type { ServerResponse } from 'node:http';
import { type Metrics, secondsOf } from '../../../lib/metrics';
import type { GatewayRequest } from './request';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const NO_ROUTE = 'none';

/** Counts the requests of a gateway. Holds nothing of a request but how many there are. */
export class HttpMeter {
  #inFlight = 0;
  readonly #over: (this: ServerResponse) => void;

  constructor(private readonly metrics: Metrics) {
    const ended = (response: ServerResponse): void => this.#ended(response, response.req as GatewayRequest);
    // One listener for all: the response says whose it is.
    this.#over = function (this: ServerResponse) {
      ended(this);
    };
    metrics.onCollect(() => metrics.httpInFlight.set(this.#inFlight));
  }

  begin(request: GatewayRequest, response: ServerResponse): void {
    if (!this.metrics.on) return;
    request.beganAt = performance.now();
    this.#inFlight += 1;
    response.on('close', this.#over);
  }

  #ended(response: ServerResponse, { match, method, beganAt }: GatewayRequest): void {
    this.#inFlight -= 1;
    const found = match?.kind === 'found' ? match.route : null;
    const called = found === null ? (METHODS.has(method) ? method : 'other') : found.method;
    // What was cut off in the middle was not what its status says.
    const status = response.writableFinished ? (CLASSES[Math.floor(response.statusCode / 100)] ?? 'other') : 'aborted';
    this.metrics.httpDuration.observe(secondsOf(performance.now() - beganAt), found?.path ?? NO_ROUTE, called, status);
  }
}
