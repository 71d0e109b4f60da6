import type { Context } from 'moleculer';
import type { ActionContract } from '../contracts/contract';
import { sha256 } from '../lib/crypto';
import { AppError } from '../lib/errors';
import { NO_TENANT, type Principal } from '../lib/principal';
import type { CountedClient } from '../lib/rate-limit/client-limits';
import { isInScope, type KeyScope } from '../lib/key-scopes';
import { isAtLeast, type Role } from '../lib/roles';
import { tenantSuspended } from '../lib/tenant-suspended';
import { nothingHere } from '../lib/nothing-here';
import type { App } from '../services/app';

/** The credential in a call's meta. */
export interface CallerMeta {
  /** Signed by a service. */
  principal?: unknown;
  /** An integrator's access token or API key. */
  token?: unknown;
}

interface Caller {
  /** Null for an integrator without a credential. */
  readonly principal: Principal | null;
  /** Null for services and the gateway. */
  readonly integratorNode: string | null;
}

/**
 * Identifies the caller. Only services can sign a principal, so a call without one comes from an integrator, whatever node
 * it names as its sender. It has the same rate limits as a request over HTTP. @throws AppError unauthenticated, rate_limited
 */
export async function identify(app: App, ctx: Context<unknown, CallerMeta>): Promise<Caller> {
  const { principal: signed } = ctx.meta;
  if (signed === undefined || signed === null) {
    const integratorNode = ctx.nodeID ?? '';
    return { principal: await principalOfIntegrator(app, ctx, integratorNode), integratorNode };
  }
  const principal = app.principals.verify(signed, app.clock.now());
  if (principal === null) throw new AppError('unauthenticated', 'The principal of this call is forged or has expired');
  return { principal, integratorNode: null };
}

async function principalOfIntegrator(
  app: App,
  ctx: Context<unknown, CallerMeta>,
  node: string,
): Promise<Principal | null> {
  const { limits } = app;
  const { meta, params } = ctx;
  const { token } = meta;
  const now = app.clock.now();
  // NATS lets a user read answers to nodes whose names begin with its own, so the first part is the user's.
  const [user = ''] = node.split('.');
  const hash = typeof token === 'string' ? sha256(token) : null;
  const client: CountedClient = hash === null ? { kind: 'integrator', name: user } : { kind: 'credential', hash };
  await limits?.admit(client, now);
  await limits?.chargeBody(client, Buffer.byteLength(JSON.stringify(params ?? null)), now);
  if (hash === null) return null;
  const verify = () =>
    ctx.call<{ principal: string; tenant_id: string }, { token: unknown }>(
      'auth.verify',
      { token },
      { meta: { token: undefined, principal: app.principals.forTenant(NO_TENANT, now) } },
    );
  const verified = await (limits?.verified({ hash, source: `integrator:${user}` }, now, verify) ?? verify());
  meta.principal = verified.principal;
  return app.principals.verify(verified.principal, now);
}

/** @throws AppError unauthenticated, forbidden */
export function admit(
  action: string,
  { integrators, ...contract }: Admission,
  { principal, integratorNode }: Caller,
): void {
  const { access, runs, withoutSecondFactor } = contract;
  if (principal === null && access !== 'public')
    throw new AppError('unauthenticated', 'This action requires a credential: send a token or an API key');
  if (integratorNode !== null && integrators !== true)
    throw new AppError(
      'forbidden',
      `${action} is not open to integrators: over NATS, only the actions listed in docs/nats.md may be called`,
    );
  if (access === 'public' || principal === null) return;
  const isForServices = access === 'internal' || access === 'gateway';
  if (principal.role === 'service') {
    if (!isForServices) throw new AppError('forbidden', `${action} requires a user; services may not call it`);
  } else if (isForServices) throw new AppError('forbidden', `${action} is for services only`);
  else if (access === 'operator') {
    if (principal.operator !== true) throw nothingHere();
  } else {
    assertRole({ role: principal.role, scope: principal.scope }, { access, runs });
    assertEnrolled(principal, withoutSecondFactor === true);
    assertOpen(principal, contract);
  }
}

/** What of an action says whether a suspended tenant may use it. */
type WhileSuspended = Pick<ActionContract, 'access' | 'rest' | 'runs' | 'whileSuspended'>;
/** What of an action says who may call it. */
type Admission = WhileSuspended & Pick<ActionContract, 'integrators' | 'withoutSecondFactor'>;

/**
 * Members of a suspended tenant do what viewers do, who change nothing but their own account, and read what their roles read.
 * @throws AppError tenant_suspended
 */
export function assertOpen({ suspended }: Principal, { access, rest, runs, whileSuspended }: WhileSuspended): void {
  if (suspended !== true || whileSuspended === true) return;
  const isRead = (access === 'viewer' && runs !== true) || rest?.startsWith('GET ') === true;
  if (!isRead) throw tenantSuspended();
}

/** @throws AppError second_factor_required for a member who has yet to set up the one that the tenant requires */
export function assertEnrolled({ must_enrol }: Principal, withoutSecondFactor: boolean): void {
  if (must_enrol === true && !withoutSecondFactor)
    throw new AppError(
      'second_factor_required',
      'This workspace requires a second factor: set one up with POST /api/v1/auth/totp, then repeat this',
    );
}

/** What of a caller decides about what it may do. */
interface Rights {
  readonly role: Role;
  readonly scope: KeyScope | undefined;
}

/** @throws AppError forbidden for a lower role than is needed, and for a key whose scope does not allow the action */
export function assertRole({ role, scope }: Rights, needed: { access: Role; runs: true | undefined }): void {
  if (isAtLeast(role, needed.access) && isInScope(scope, needed)) return;
  throw new AppError(
    'forbidden',
    scope === undefined || scope === 'admin'
      ? `This action requires the role ${needed.access}; yours is ${role}`
      : `The scope of this API key, ${scope}, does not allow this action: use a key with another scope`,
  );
}
