import type { ServerResponse } from 'node:http';
import { networkOf } from '../../../lib/client-network';
import { isRefused } from '../../../lib/errors';
import { nextTurn } from '../../../lib/time-slices';
import type { Gateway } from '../gateway';
import { addressOf, type GatewayRequest } from '../http/request';
import type { TenantStreamRoute } from '../routes/route';
import { EventWriter } from '../sse/event-writer';
import type { TenantWatchers } from '../sse/tenant-watchers';

/** How often a quiet stream checks its credential. */
const CHECK_MS = 3_000;

/** Sends events of the caller's tenant until the client leaves, the credential ends or the server stops. */
export async function serveTenantEvents(
  gateway: Gateway,
  watchers: TenantWatchers,
  route: TenantStreamRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const principal = await gateway.identify(route, request);
  gateway.assertRole(route, principal);
  const tenantId = gateway.tenantOf(principal);
  const { network } = networkOf(addressOf(request));
  await nextTurn(network);
  const client = { network, tenantId };
  watchers.assertRoom(client);
  if (request.method === 'HEAD') {
    response.writeHead(200).end();
    return;
  }
  const { clock } = gateway.app;
  let folders = gateway.foldersOf(principal);
  const { watch, stop } = watchers.watch(tenantId, client);
  const writer = new EventWriter(response, clock);
  response.once('close', watch.nudge);
  try {
    await writer.writeUnnumbered('ready', { at: new Date(clock.now()).toISOString() });
    for (let checkedAt = clock.now(); watchers.open && writer.open; ) {
      const events = await folders.only(await watch.next(clock, CHECK_MS), (event) => event.workflow_id);
      for (const { event, ...data } of events) await writer.writeUnnumbered(event, data);
      if (clock.now() - checkedAt < CHECK_MS) continue;
      checkedAt = clock.now();
      const caller = await identifiedAgain(gateway, route, request);
      if (caller.kind === 'refused') return;
      // The role may have become a smaller one since.
      if (caller.kind === 'identified') folders = gateway.foldersOf(caller.principal);
    }
  } finally {
    stop();
    writer.end();
  }
}

type Identified =
  | { readonly kind: 'identified'; readonly principal: string | null }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' };

/** The caller as it is now; `refused` once the credential was revoked, `unknown` when that cannot be checked now. */
async function identifiedAgain(
  gateway: Gateway,
  route: TenantStreamRoute,
  request: GatewayRequest,
): Promise<Identified> {
  try {
    const principal = await gateway.identifyShared(route, request);
    gateway.assertRole(route, principal);
    return { kind: 'identified', principal };
  } catch (fault) {
    if (isRefused(fault)) return { kind: 'refused' };
    gateway.log.warn('The credential of a stream could not be checked; it is checked again', fault);
    return { kind: 'unknown' };
  }
}
