import type { ServerResponse } from 'node:http';
import { networkOf } from '../../../lib/client-network';
import { AppError, isRefused } from '../../../lib/errors';
import { nextTurn } from '../../../lib/time-slices';
import type { Gateway } from '../gateway';
import { parseQuery, single } from '../http/query';
import { addressOf, type GatewayRequest } from '../http/request';
import type { StreamRoute } from '../routes/route';
import { EventWriter } from '../sse/event-writer';
import { LogTail } from '../sse/log-tail';
import type { EventBatch } from '../sse/run-feed';
import type { Watchers } from '../sse/watchers';

/** How often a stream looks whether its credential is still good. */
const CHECK_MS = 3_000;
const RETRY_MS = 1_000;
/** Log lines of one request. */
const LINES_AT_ONCE = 1_000;
/** Events that a stream sends before others have their turn. */
const WRITTEN_AT_ONCE = 200;

/** Sends the events of a run as they are recorded, from where the client left off, until the run's `end`. */
export async function serveStream(
  gateway: Gateway,
  watchers: Watchers,
  route: StreamRoute,
  id: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const resumeFrom = positionOf(request);
  const principal = await gateway.identify(route, request);
  const { network } = networkOf(addressOf(request));
  const client = { network, tenantId: principal === null ? null : gateway.tenantOf(principal) };
  // Of many streams that one network opens at once, each waits for its turn: requests of others come in between.
  await nextTurn(network);
  watchers.assertRoom(id, client);
  // Before the first byte, so that an unauthorized caller gets an HTTP status and no stream.
  const action = route.audience === 'tenant' ? 'executions.get' : 'executions.public';
  await gateway.call(action, { id }, principal, request);
  // Others may have come meanwhile: of many that open at once, no more get in than there is room for.
  watchers.assertRoom(id, client);
  // A nudge between the first look and the first wait must count, so the watch begins before both.
  const watch = watchers.watch(id, client, wantsDeltas(route, request));
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

async function follow(following: Following): Promise<void> {
  const { gateway, id, request, response, resumeFrom, watch } = following;
  let after = resumeFrom ?? (await firstPosition(following));
  const logs = await logTailOf(following);
  const first = await nextEvents(following, after);
  const status = statusWithoutEvents(request.method, resumeFrom, first);
  if (status !== null) {
    response.writeHead(status).end();
    return;
  }
  const writer = new EventWriter(response, gateway.app.clock);
  // A listener, not a race of promises at every wait: those would pile up on the one that settles last.
  response.once('close', watch.nudge);
  const checkRights = rightsCheck(following);
  try {
    for (let batch = first; watch.open && writer.open; batch = await nextEvents(following, after)) {
      // Before the records that came after them.
      await writer.writeOutput(watch.output(), 'delta');
      for (const line of (await logs?.lines()) ?? []) await writer.writeUnnumbered('log', { ...line });
      const written = await writeEvents(writer, batch?.events ?? []);
      after = written?.position ?? after;
      if (written?.event === 'end' || (batch?.ended === true && batch.events.length === 0)) return;
      await pause(following, writer, batch);
      if (writer.open) await checkRights();
    }
  } catch (error) {
    // Headers are out, so no status can tell it; the client comes back, and then gets one.
    gateway.log.info(`The stream of ${id} ended early`, error);
  } finally {
    writer.end();
  }
}

/** The position after which a new stream begins: the first event, or with `from=now` the next one. */
async function firstPosition({ gateway, route, id, request }: Following): Promise<number> {
  const from = single(parseQuery(request.search), 'from');
  if (from === undefined) return 0;
  if (from !== 'now') throw new AppError('invalid_request', '`from` must be now, or be left out');
  const principal = await gateway.identifyShared(route, request);
  const asked = { id, audience: route.audience, latest: true };
  return (await gateway.call('executions.events', asked, principal, request)).position ?? 0;
}

/** The log lines that a client asks for; null for none. @throws AppError invalid_request */
async function logTailOf({ gateway, route, id, request, resumeFrom }: Following): Promise<LogTail | null> {
  const query = parseQuery(request.search);
  if (route.audience !== 'tenant' || !['1', 'true'].includes(single(query, 'logs') ?? '')) return null;
  const given = single(query, 'logs_after');
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw new AppError('invalid_request', '`logs_after` must be the position of a log line');
  const read = async (after: number) => {
    const principal = await gateway.identifyShared(route, request);
    return gateway.call('executions.logs', { id, after, limit: LINES_AT_ONCE }, principal, request);
  };
  const onError = (error: unknown): void => {
    if (isRefused(error)) throw error;
    gateway.log.warn(`The log of ${id} could not be read; the stream tries again`, error);
  };
  const tail = new LogTail(read, onError, Number(given ?? 0));
  // A stream that does not begin with the first event has the lines that come.
  if (given === undefined && (resumeFrom !== undefined || single(query, 'from') !== undefined)) await tail.lines();
  return tail;
}

/** The status of an answer that has no events; null for a stream. */
function statusWithoutEvents(method: string, resumeFrom: number | undefined, first: EventBatch | null): number | null {
  if (method === 'HEAD') return 200;
  // No content tells an EventSource (HTML standard section 9.2) that there is no more to come back for.
  return resumeFrom !== undefined && first?.ended === true && first.events.length === 0 ? 204 : null;
}

/** Writes events up to the end of the run; answers the last one that was written. */
async function writeEvents(writer: EventWriter, events: EventBatch['events']) {
  let last: EventBatch['events'][number] | null = null;
  for (const [index, event] of events.entries()) {
    // All streams of a run have something to send at the same time.
    if (index % WRITTEN_AT_ONCE === 0) await nextTurn();
    await writer.write(event);
    last = event;
    if (event.event === 'end') break;
  }
  return last;
}

/** Without events, waits until the run may have moved, or for a few seconds; its output is sent meanwhile. */
async function pause({ gateway, watch }: Following, writer: EventWriter, batch: EventBatch | null): Promise<void> {
  if (batch !== null && batch.events.length > 0) return;
  const { clock } = gateway.app;
  const ms = batch === null ? RETRY_MS : CHECK_MS;
  const until = clock.now() + ms;
  while (!(await watch.moved(ms)) && writer.open && clock.now() < until)
    await writer.writeOutput(watch.output(), 'delta');
}

/** Events after a position; null when the executor could not be asked just now. @throws when access is over. */
async function nextEvents(
  { gateway, route, id, request, watch }: Following,
  position: number,
): Promise<EventBatch | null> {
  const { audience } = route;
  try {
    return await watch.after(audience, position, async (after) => {
      const principal = await gateway.identifyShared(route, request);
      return gateway.call('executions.events', { id, audience, after }, principal, request);
    });
  } catch (error) {
    if (isRefused(error)) throw error;
    gateway.log.warn(`The events of ${id} could not be read; the stream tries again`, error);
    return null;
  }
}

/**
 * A check of the caller's rights every few seconds. Also while events come: another stream of the run may have read them,
 * with the rights of its own caller.
 */
function rightsCheck(following: Following): () => Promise<void> {
  const { clock } = following.gateway.app;
  let checkedAt = clock.now();
  return async () => {
    if (clock.now() - checkedAt < CHECK_MS) return;
    checkedAt = clock.now();
    await identified(following);
  };
}

/** @throws AppError unauthenticated, not_found where access is over; not when the check itself fails */
async function identified({ gateway, route, id, request }: Following): Promise<void> {
  try {
    const principal = await gateway.identifyShared(route, request);
    // What another stream of the run has read is sent without a call that would check the rights on its folder.
    if (route.audience === 'tenant' && (await gateway.foldersOf(principal).areLimited()))
      await gateway.call('executions.events', { id, audience: 'tenant', latest: true }, principal, request);
  } catch (error) {
    if (isRefused(error)) throw error;
    gateway.log.warn('The credential of a stream could not be checked; it is checked again', error);
  }
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
