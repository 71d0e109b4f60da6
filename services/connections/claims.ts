import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import type { OAuthProvider } from '../../lib/oauth-config';
import type { Grant } from './connect-account';
import type { ClaimDoc } from './models';
import type { FlowResult } from './oauth/flow';
import type { ConnectionDeps } from './deps';

type ClaimDeps = Pick<ConnectionDeps, 'models' | 'vault' | 'app'>;

const LIFETIME_MS = 10 * 60_000;

/** Stores the tokens of a provider under a one-time code, until a signed-in user claims them. */
export async function storeClaim(
  { models, vault }: ClaimDeps,
  provider: OAuthProvider,
  flowResult: FlowResult,
): Promise<string> {
  const { request, tokens, since } = flowResult;
  const code = randomBytes(32).toString('base64url');
  const _id = sha256(code);
  await models.claims.create({
    _id,
    provider,
    ...vault.sealClaim(_id, { ...tokens, scopes: tokens.scopes ?? request.scopes }),
    expires_at: new Date(since + LIFETIME_MS),
  });
  return code;
}

/** Reads a claim without consuming it. @throws AppError invalid_token */
export async function findClaim({ models, app }: ClaimDeps, code: string): Promise<ClaimDoc> {
  const claim = await models.claims.findById(sha256(code)).lean();
  if (claim === null || claim.expires_at.getTime() <= app.clock.now()) throw invalidClaim();
  return claim;
}

/** Consumes a claim atomically: one of several concurrent callers gets it. @throws AppError invalid_token */
export async function takeClaim({ models, vault }: ClaimDeps, { _id }: ClaimDoc): Promise<Grant> {
  const taken = await models.claims.findOneAndDelete({ _id }).lean();
  if (taken === null) throw invalidClaim();
  const tokens = vault.openClaim(taken);
  const since = taken.expires_at.getTime() - LIFETIME_MS;
  const { provider } = taken;
  return { connector: provider, appId: null, title: provider, tokens, requestedScopes: tokens.scopes ?? [], since };
}

const invalidClaim = (): AppError =>
  new AppError('invalid_token', 'This code is unknown, was used, or is older than 10 minutes; connect again');
