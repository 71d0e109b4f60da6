import type { Handlers } from '../../../mixins/service';
import type { AuthParts } from '../parts';

type Actions = Pick<Handlers<'auth'>, 'jwks'>;

/** The keys by which others can check our tokens. */
export const signingKeyActions = (parts: AuthParts): Actions => ({
  jwks: () => ({ keys: parts.tokens.publicKeys }),
});
