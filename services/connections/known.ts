import { AppError } from '../../lib/errors';
import type { OAuthWord } from '../../lib/oauth-config';
import { connectors, connectorsByName } from '../../nodes/connectors';
import type { Connector } from '../../nodes/connectors/contract';

/** A connector with fields for a manual connection. @throws AppError invalid_request */
export function connectorNamed(name: string): Connector {
  const connector = connectorsByName.get(name);
  if (connector === undefined) {
    throw new AppError('invalid_request', `There is no connector "${name}"; see GET /api/v1/connectors`, {
      details: [{ path: 'connector', message: 'is not known' }],
    });
  }
  if (connector.auth.fields.length > 0) return connector;
  const { oauth } = connector.auth;
  const way = oauth === undefined ? 'it needs none' : `connect by POST /api/v1/oauth/${oauth.provider}/start`;
  throw new AppError('invalid_request', `${connector.title} takes no credentials: ${way}`);
}

/** What all connectors of a provider ask of it. */
export const scopesFor = (provider: OAuthWord): string[] => [
  ...new Set(connectors.flatMap(({ auth }) => (auth.oauth?.provider === provider ? auth.oauth.scopes : []))),
];
