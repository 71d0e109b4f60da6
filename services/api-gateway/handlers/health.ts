import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { ActionName } from '../../../contracts/catalogue';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
import type { GatewayRequest } from '../http/request';
import type { HealthRoute } from '../routes/route';
import type { ServiceBroker } from 'moleculer';
import { isConnected } from '../../../lib/bus/internals';

/** Why other processes cannot be reached, without internal details; null when connected or without a bus. */
const busFault = (broker: ServiceBroker): string | null => (isConnected(broker) === false ? 'no connection' : null);

/** One action of each service that no request gets far without, wherever it runs. Without a host, starts wait. */
const NEEDED: readonly ActionName[] = ['auth.verify', 'workflows.startable', 'executions.get'];

/** A dependency that is down while the process still serves requests; the reason is public. */
interface Degraded {
  readonly name: string;
  readonly reason: string;
}

/**
 * Liveness says that this process answers; readiness, that what it needs is there. Other processes are not asked:
 * they have a health of their own, and one that is ill must not take this one out of service.
 */
export async function serveHealth(
  gateway: Gateway,
  route: HealthRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  if (route.asks === 'alive') return sendAnswer(response, { status: 200, body: { status: 'ok' } });
  assertStays(gateway);
  await assertReady(gateway, request);
  const degraded = await degradedOf(gateway, request);
  return sendAnswer(response, {
    status: 200,
    body: { status: 'ready', ...(degraded.length === 0 ? {} : { degraded }) },
  });
}

async function degradedOf(gateway: Gateway, request: GatewayRequest): Promise<Degraded[]> {
  const { app, broker } = gateway;
  const parts = [
    { name: 'redis', reason: app.shared?.unavailableReason ?? null },
    { name: 'bus', reason: busFault(broker) },
    { name: 'qdrant', reason: await vectorsReason(gateway, request) },
  ];
  return parts.filter((part): part is Degraded => part.reason !== null);
}

/** Why the vectors of knowledge bases cannot be searched by this process; null when they can, or are none of its business. */
async function vectorsReason(gateway: Gateway, request: GatewayRequest): Promise<string | null> {
  if (gateway.app.config.qdrant === null || gateway.broker.getLocalService('knowledge') === undefined) return null;
  const asService = gateway.app.principals.forTenant('', gateway.app.clock.now());
  try {
    const { ready } = await gateway.call('knowledge.vectors_ready', {}, asService, request);
    return ready ? null : 'it does not answer';
  } catch (error) {
    gateway.log.warn('The service of knowledge bases did not say whether it has vectors', error);
    return 'it does not answer';
  }
}

/** @throws AppError unavailable */
function assertStays({ app }: Gateway): void {
  if (!app.leaving.aborted) return;
  throw new AppError('unavailable', 'Not ready: stopping', {
    retry_after: 1,
    body: { status: 'unavailable', missing: [] },
  });
}

/** @throws AppError unavailable with the names of what is missing */
async function assertReady(gateway: Gateway, request: GatewayRequest): Promise<void> {
  const { broker } = gateway;
  // Without the bus, what runs elsewhere is known by name only.
  const onlyLocal = busFault(broker) !== null;
  const present = new Set(
    broker.registry.getActionList({ onlyAvailable: true, skipInternal: true, onlyLocal }).map(({ name }) => name),
  );
  const missing = NEEDED.filter((action) => !present.has(action)).map((action) => action.slice(0, action.indexOf('.')));
  const reason = missing.length > 0 ? null : await hostReason(gateway, request);
  if (missing.length === 0 && reason === null) return;
  const named = missing.length === 0 ? ['executor'] : onlyLocal ? ['bus'] : missing;
  const message = `Not ready: ${reason === null ? named.join(', ') : `executor: ${reason}`}`;
  throw new AppError('unavailable', message, { retry_after: 1, body: { status: 'unavailable', missing: named } });
}

/** Why the host of executions in this process takes no work; null when it does, or there is none here. */
async function hostReason(gateway: Gateway, request: GatewayRequest): Promise<string | null> {
  if (gateway.broker.getLocalService('executor') === undefined) return null;
  const asService = gateway.app.principals.forTenant('', gateway.app.clock.now());
  try {
    const { ready, reason } = await gateway.call('executor.ready', {}, asService, request);
    return ready ? null : (reason ?? 'it gave no reason');
  } catch (error) {
    gateway.log.warn('The executor did not say whether it is ready', error);
    return 'it does not answer';
  }
}
