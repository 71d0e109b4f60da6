import type { Compute } from '../../lib/compute';
import type { Json } from '../../lib/json';
import type { NodeHttp, NodeNet, Outcome } from '../contract';
import { redactingAlso } from '../redaction';
import { invalidConfig } from '../outcome';
import { secretsOf } from './auth';
import type { Account, ActionContext, Connector } from './contract';
import { runAction } from './node';
import { InvalidInputError } from './invalid-input-error';

/** Network access of a connection test. */
interface TestContext {
  readonly http: NodeHttp;
  readonly net: NodeNet;
  readonly compute: Compute;
  readonly connectorUrls: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Tests credentials with the read action of the connector for this purpose; null if it has none. Redacts them in errors. */
export async function testCredentials(
  connector: Connector,
  credentials: Account['credentials'],
  context: TestContext,
): Promise<Outcome | null> {
  const action = connector.actions.find(({ name }) => name === connector.connectionTest?.action);
  if (action === undefined || connector.connectionTest === undefined) return null;
  const hidden = secretsOf(connector, { credentials });
  const ctx: ActionContext = {
    ...context,
    capabilities: { net: context.net, connectorUrls: context.connectorUrls, compute: context.compute },
    files: null,
    idempotencyKey: 'connection-test',
    keyOf: (part) => `connection-test/${part}`,
    log: (_level: string, _message: string, _data?: Json) => undefined,
    redact: redactingAlso((text) => text, hidden),
  };
  try {
    const source = {
      account: { credentials },
      refresh: async () => ({ kind: 'account', account: { credentials } }) as const,
    };
    return await runAction(connector, action, connector.connectionTest.input, ctx, source);
  } catch (fault) {
    if (fault instanceof InvalidInputError) return invalidConfig(ctx.redact(fault.message));
    throw fault;
  }
}
