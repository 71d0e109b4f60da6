import type { Json } from '../../lib/json';
import type { NodeHttp, NodeNet, Outcome } from '../contract';
import { masking } from '../mask';
import { invalidConfig } from '../outcome';
import { secretsOf } from './auth';
import type { Account, ActionContext, Connector } from './contract';
import { perform } from './node';
import { Unusable } from './unusable';

/** What a probe reaches the provider with. */
export interface ProbeWorld {
  readonly http: NodeHttp;
  readonly net: NodeNet;
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
    means: { net: world.net, connectorUrls: world.connectorUrls },
    files: null,
    idempotencyKey: 'probe',
    keyOf: (part) => `probe/${part}`,
    log: (_level: string, _message: string, _data?: Json) => undefined,
    mask: masking((text) => text, hidden),
  };
  try {
    const holder = {
      account: { credentials },
      renew: async () => ({ kind: 'account', account: { credentials } }) as const,
    };
    return await perform(connector, action, connector.probe.input, ctx, holder);
  } catch (fault) {
    if (fault instanceof Unusable) return invalidConfig(ctx.mask(fault.message));
    throw fault;
  }
}
