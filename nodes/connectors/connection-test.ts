import type { Compute } from '../../lib/compute';
import type { Json } from '../../lib/json';
import type { NodeHttp, NodeNet, Outcome } from '../contract';
import { redactingAlso } from '../redaction';
import { invalidConfig } from '../outcome';
import { secretsOf } from './auth';
import type { Account, ActionContext, Connector } from './contract';
import { perform } from './node';
import { Unusable } from './unusable';

/** Network access of a connection test. */
interface ProbeWorld {
  readonly http: NodeHttp;
  readonly net: NodeNet;
  readonly compute: Compute;
  readonly connectorUrls: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Asks a provider whether credentials count, by the connector's reading action for that; null where it has none. The
 * credentials are masked in what it says.
 */
export async function probe(
  connector: Connector,
  credentials: Account['credentials'],
  world: ProbeWorld,
): Promise<Outcome | null> {
  const action = connector.actions.find(({ name }) => name === connector.probe?.action);
  if (action === undefined || connector.probe === undefined) return null;
  const hidden = secretsOf(connector, { credentials });
  const ctx: ActionContext = {
    ...world,
    capabilities: { net: world.net, connectorUrls: world.connectorUrls, compute: world.compute },
    files: null,
    idempotencyKey: 'probe',
    keyOf: (part) => `probe/${part}`,
    log: (_level: string, _message: string, _data?: Json) => undefined,
    redact: redactingAlso((text) => text, hidden),
  };
  try {
    const holder = {
      account: { credentials },
      renew: async () => ({ kind: 'account', account: { credentials } }) as const,
    };
    return await perform(connector, action, connector.probe.input, ctx, holder);
  } catch (fault) {
    if (fault instanceof Unusable) return invalidConfig(ctx.redact(fault.message));
    throw fault;
  }
}
