import type { ServerResponse } from 'node:http';
import { AppError, errorCode, ERRORS } from '../../../lib/errors';
import type { Gateway } from '../gateway';
import { parseQuery, single } from '../http/query';
import type { GatewayRequest } from '../http/request';
import type { StreamRoute } from '../routes/route';
import { EventWriter } from '../sse/event-writer';
import type { Watchers } from '../sse/watchers';

const POLL_MS = 1_000;

/** Sends the events of a run as they are recorded, from where the client left off, until the run's `end`. */
export async function serveStream(
  gateway: Gateway,
  watchers: Watchers,
  route: StreamRoute,
  id: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  watchers.assertRoom();
  const resumeFrom = positionOf(request);
  // Before the first byte, so that a stranger gets a status and no stream.
  await assertVisible(gateway, route, id, request);
  // A nudge between the first look and the first wait must count, so the watch begins before both.
  const watch = watchers.watch(id, wantsDeltas(route, request));
  try {
    await follow({ gateway, route, id, request, response, resumeFrom, watch });
  } finally {
    watch.stop();
  }
}

interface Following {
  readonly gateway: Gateway;
  readonly route: StreamRoute;
  readonly id: string;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
  readonly resumeFrom: number | undefined;
  readonly watch: ReturnType<Watchers['watch']>;
}

async function follow({ gateway, route, id, request, response, resumeFrom, watch }: Following): Promise<void> {
  let after = resumeFrom;
  const first = await nextEvents(gateway, route, id, after, request);
  if (request.method === 'HEAD' || (resumeFrom !== undefined && first?.ended && first.events.length === 0)) {
    // No content tells an EventSource (HTML standard section 9.2) that there is no more to come back for.
    response.writeHead(request.method === 'HEAD' ? 200 : 204).end();
    return;
  }
  const writer = new EventWriter(response, gateway.app.clock);
  // A listener, not a race of promises at every wait: those would pile up on the one that settles last.
  response.once('close', watch.nudge);
  try {
    for (let batch = first; watch.open && writer.open; batch = await nextEvents(gateway, route, id, after, request)) {
      // Before the records that came after them.
      await writer.tellHeard(watch.heard(), 'delta');
      for (const event of batch?.events ?? []) {
        await writer.write(event);
        after = event.position;
        if (event.event === 'end') return;
      }
      if (batch?.ended === true && batch.events.length === 0) return;
      if (batch === null || batch.events.length === 0) await pause(watch, writer);
    }
  } catch (error) {
    // Headers are out, so no status can tell it; the client comes back, and then gets one.
    gateway.log.info(`The stream of ${id} ended early`, error);
  } finally {
    writer.end();
  }
}

/** Until the run may have moved; what it says meanwhile is told. */
async function pause(watch: Following['watch'], writer: EventWriter): Promise<void> {
  while (!(await watch.moved(POLL_MS)) && writer.open) await writer.tellHeard(watch.heard(), 'delta');
}

/** Events after a position; null when the executor could not be asked just now. @throws when access is over. */
async function nextEvents(
  gateway: Gateway,
  route: StreamRoute,
  id: string,
  after: number | undefined,
  request: GatewayRequest,
) {
  try {
    // Anew for each look: principals are short-lived, and a revoked credential must end its streams.
    const principal = await gateway.identify(route, request);
    const params = { id, audience: route.audience, ...(after === undefined ? {} : { after }) };
    return await gateway.call('executions.events', params, principal, request);
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined && ERRORS[code].status < 500) throw error;
    gateway.log.warn(`The events of ${id} could not be read; the stream tries again`, error);
    return null;
  }
}

async function assertVisible(gateway: Gateway, route: StreamRoute, id: string, request: GatewayRequest): Promise<void> {
  const principal = await gateway.identify(route, request);
  const action = route.audience === 'tenant' ? 'executions.get' : 'executions.public';
  await gateway.call(action, { id }, principal, request);
}

/** Whether the client asks for what the last step says, as it comes. Such events have no id, and are not repeated. */
const wantsDeltas = ({ audience }: StreamRoute, { search }: GatewayRequest): boolean =>
  audience === 'tenant' && ['1', 'true'].includes(single(parseQuery(search), 'deltas') ?? '');

/** The last event that the client has seen; undefined for one who has seen none. @throws AppError invalid_request */
function positionOf(request: GatewayRequest): number | undefined {
  const header = request.headers['last-event-id'];
  const text =
    typeof header === 'string' && header !== '' ? header : single(parseQuery(request.search), 'last_event_id');
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('invalid_request', 'The Last-Event-ID must be the id of an event of this stream');
}
