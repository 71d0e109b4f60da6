import { AppError, errorCode } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import { connectors, connectorsByName } from '../../nodes/connectors';
import type { Connector } from '../../nodes/connectors/contract';
import type { ConnectionDeps } from './deps';
import type { ConnectionDoc } from './models';
import { lookUpAccount } from './oauth-apps/account-lookup';
import { credentialsForSteps } from './oauth-apps/settings';
import { viewOf } from './view';

type TestContext = ActionContext<'connections.test'>;

type TestOutcome =
  | { readonly outcome: 'ok' | 'untested'; readonly message: null }
  | { readonly outcome: 'failed'; readonly message: string };

/** Tests a connection with a live call, and keeps the outcome in `last_error`. @throws AppError not_found */
export async function testConnection(deps: ConnectionDeps, { params, tenantId, log }: TestContext) {
  const { app, store, tokenRefresher } = deps;
  const found = await store.get(tenantId, params.id);
  const result = await tokenRefresher.refresh(found, { kind: 'any' }, log).catch((error: unknown) => {
    if (error instanceof AppError && errorCode(error) === 'unavailable') return error;
    throw error;
  });
  if (result instanceof AppError) return answer(await store.get(tenantId, found._id), failed(result.message));
  if (result.kind === 'gone') throw new AppError('not_found', `Connection ${found._id} not found`);
  const { connection } = result;
  if (result.kind !== 'ready')
    return answer(connection, failed(connection.last_error ?? 'The connection has ended; connect the account again'));
  const outcome = await callWith(deps, connection);
  if (outcome.outcome === 'untested') return answer(connection, outcome);
  // A refresh or reconnection meanwhile has its own outcome.
  const recorded = await store
    .scope(tenantId)
    .update(
      { _id: connection._id, generation: connection.generation },
      { $set: { last_error: outcome.message, updated_at: new Date(app.clock.now()) } },
    );
  return answer(recorded ?? connection, outcome);

  function answer(tested: ConnectionDoc, { outcome: word, message }: TestOutcome) {
    return { outcome: word, message, connection: viewOf(tested, app.clock.now()) };
  }
}

/** The test of the connector that the connection is for; else the request that names the account. */
async function callWith(deps: ConnectionDeps, connection: ConnectionDoc): Promise<TestOutcome> {
  const { apps, vault, connectionTests } = deps;
  const oauthApp = await apps.ofConnection(connection);
  const stored = vault.open(connection).credentials;
  const connector = testedConnector(connection);
  if (connector !== null) {
    const credentials = oauthApp === null ? stored : credentialsForSteps(oauthApp.settings, stored);
    try {
      const problem = await connectionTests.test(connection.tenant_id, connector, credentials);
      return problem === null ? OK : failed(problem);
    } catch (error) {
      if (error instanceof AppError && errorCode(error) === 'invalid_request') return failed(error.message);
      throw error;
    }
  }
  if (oauthApp === null || oauthApp.settings.account === null) return { outcome: 'untested', message: null };
  const looked = await lookUpAccount(apps.egressOf(oauthApp), oauthApp.settings.account, stored.access_token ?? '');
  return looked.kind === 'found' ? OK : failed(looked.message);
}

const OK: TestOutcome = { outcome: 'ok', message: null };
const failed = (message: string): TestOutcome => ({ outcome: 'failed', message });

/** The connector itself, or the only one of its OAuth provider: another may need scopes that were not granted. */
function testedConnector({ connector }: ConnectionDoc): Connector | null {
  const named = connectorsByName.get(connector);
  if (named !== undefined) return named.connectionTest === undefined ? null : named;
  const [only, another] = connectors.filter(({ auth }) => auth.oauth?.provider === connector);
  return only?.connectionTest === undefined || another !== undefined ? null : only;
}
