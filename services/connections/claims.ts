import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import type { OAuthWord } from '../../lib/oauth-config';
import type { Given } from './adopting';
import type { ClaimDoc } from './models';
import type { Brought } from './oauth/flow';
import type { ConnectionParts } from './parts';

type Parts = Pick<ConnectionParts, 'models' | 'vault' | 'app'>;

const LIFETIME_MS = 10 * 60_000;

/** Keeps what a provider has given for whoever shows this code, and who he is. */
export async function keepClaim({ models, vault }: Parts, provider: OAuthWord, brought: Brought): Promise<string> {
  const { request, tokens, since } = brought;
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

/** What there is for a code, still there. @throws AppError invalid_token */
export async function findClaim({ models, app }: Parts, code: string): Promise<ClaimDoc> {
  const claim = await models.claims.findById(sha256(code)).lean();
  if (claim === null || claim.expires_at.getTime() <= app.clock.now()) throw noClaim();
  return claim;
}

/** Takes it: one of several who show the code at once gets it. @throws AppError invalid_token */
export async function takeClaim({ models, vault }: Parts, { _id }: ClaimDoc): Promise<Given> {
  const taken = await models.claims.findOneAndDelete({ _id }).lean();
  if (taken === null) throw noClaim();
  const tokens = vault.openClaim(taken);
  const since = taken.expires_at.getTime() - LIFETIME_MS;
  return { provider: taken.provider, tokens, asked: tokens.scopes ?? [], since };
}

const noClaim = (): AppError =>
  new AppError('invalid_token', 'This code is unknown, was used, or is older than 10 minutes; connect again');
