import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { ActionName } from '../../catalogue';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
import type { GatewayRequest } from '../http/request';
import type { HealthRoute } from '../routes/route';

/** One action of each service that no request gets far without. */
const NEEDED: readonly ActionName[] = ['auth.verify', 'workflows.startable', 'executor.ready'];

/** Liveness says that this process answers; readiness, that what it needs is there. */
export async function serveHealth(
  gateway: Gateway,
  route: HealthRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  if (route.asks === 'ready') await assertReady(gateway, request.requestId);
  sendAnswer(response, { status: 200, body: { status: route.asks === 'ready' ? 'ready' : 'ok' } });
}

/** @throws AppError unavailable with the names of what is missing */
async function assertReady(gateway: Gateway, requestId: string): Promise<void> {
  const present = new Set(
    gateway.broker.registry.getActionList({ onlyAvailable: true, skipInternal: true }).map(({ name }) => name),
  );
  const missing = NEEDED.filter((action) => !present.has(action)).map((action) => action.slice(0, action.indexOf('.')));
  const reason = missing.length > 0 ? null : await executorReason(gateway, requestId);
  if (missing.length === 0 && reason === null) return;
  const named = missing.length > 0 ? missing : ['executor'];
  const message = `Not ready: ${reason === null ? named.join(', ') : `executor: ${reason}`}`;
  throw new AppError('unavailable', message, { retry_after: 1, body: { status: 'unavailable', missing: named } });
}

/** Why the executor takes no work; null when it does. */
async function executorReason(gateway: Gateway, requestId: string): Promise<string | null> {
  const asService = gateway.app.principals.forTenant('', gateway.app.clock.now());
  try {
    const { ready, reason } = await gateway.call('executor.ready', {}, asService, requestId);
    return ready ? null : (reason ?? 'it gave no reason');
  } catch (error) {
    gateway.log.warn('The executor did not say whether it is ready', error);
    return 'it does not answer';
  }
}
