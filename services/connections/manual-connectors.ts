import { AppError, errorCode } from '../../lib/errors';
import type { OAuthProvider } from '../../lib/oauth-config';
import type { ActionContext } from '../../mixins/service';
import { connectors, connectorsByName } from '../../nodes/connectors';
import type { Connector, CredentialField } from '../../nodes/connectors/contract';
import { IMPORTED_PREFIX } from '../../nodes/connectors/imported';

/** A connector that takes a manual connection. `builtIn` is null for one that the tenant has imported. */
interface ManualConnector {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly CredentialField[];
  readonly builtIn: Connector | null;
}

/** @throws AppError invalid_request for an unknown connector, and for one without credentials */
export async function connectorNamed(
  { call }: Pick<ActionContext<'connections.create'>, 'call'>,
  name: string,
): Promise<ManualConnector> {
  const builtIn = connectorsByName.get(name) ?? null;
  const found = builtIn ?? (name.startsWith(IMPORTED_PREFIX) ? await imported(call, name) : null);
  if (found === null) {
    throw new AppError('invalid_request', `Unknown connector "${name}"; GET /api/v1/connectors lists the connectors`, {
      details: [{ path: 'connector', message: 'is unknown' }],
    });
  }
  const { title, auth } = found;
  if (auth.fields.length > 0) return { name: found.name, title, fields: auth.fields, builtIn };
  const hint = auth.oauth ? `connect by POST /api/v1/oauth/${auth.oauth.provider}/start` : 'it needs none';
  throw new AppError('invalid_request', `${title} takes no credentials: ${hint}`);
}

const imported = (call: ActionContext<'connections.create'>['call'], name: string) =>
  call('connectors.get', { name }).catch((fault: unknown) => {
    if (errorCode(fault) === 'not_found') return null;
    throw fault;
  });

/** The scopes that all connectors of a provider need. */
export const scopesFor = (provider: OAuthProvider): string[] => [
  ...new Set(connectors.flatMap(({ auth }) => (auth.oauth?.provider === provider ? auth.oauth.scopes : []))),
];
