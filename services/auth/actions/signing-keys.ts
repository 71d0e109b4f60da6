import type { Handlers } from '../../../mixins/service';
import type { AuthDeps } from '../deps';

type Actions = Pick<Handlers<'auth'>, 'jwks'>;

/** The keys by which others can check our tokens. */
export const signingKeyActions = (parts: AuthDeps): Actions => ({
  jwks: () => ({ keys: parts.tokens.publicKeys }),
});
