import type { ServiceDefinition } from '../../../mixins/service';
import type { AuthParts } from '../parts';

type Menu = Pick<ServiceDefinition<'auth'>['actions'], 'jwks'>;

/** The keys by which others can check our tokens. */
export const signingKeyMenu = (parts: AuthParts): Menu => ({
  jwks: {
    access: 'internal',
    summary: 'Public keys of access tokens',
    params: {},
    handle: () => ({ keys: parts.tokens.publicKeys }),
  },
});
