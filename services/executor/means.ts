import { createDialer, createEgress, type Egress, type EgressRule } from '../../lib/egress';
import { loadPrices, platformRules } from '../../lib/llm';
import { countModels } from '../../lib/metrics';
import type { SandboxPool } from '../../lib/sandbox';
import type { NodeMeans, PlatformMail } from '../../nodes/contract';
import type { App } from '../app';

/** What the steps on this node are lent beside HTTP: threads for scripts, sockets, models, the installation's mail. */
export class Means {
  readonly #sandbox: SandboxPool;
  readonly #toModels: Egress;
  readonly #common: Omit<NodeMeans, 'sandbox'>;

  constructor(
    { sandbox, metrics, config: { llm, mail, connectorUrls } }: Pick<App, 'sandbox' | 'metrics' | 'config'>,
    allow: readonly EgressRule[],
  ) {
    this.#sandbox = sandbox;
    this.#toModels = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.#common = {
      net: createDialer({ allow }),
      models: {
        platform: (provider) => llm.platform[provider],
        http: this.#toModels,
        prices: loadPrices(llm.pricesFile),
        onSpent: countModels(metrics),
      },
      connectorUrls,
      mail: mail === null ? null : platformMail(mail),
    };
  }

  of(tenantId: string): NodeMeans {
    return { ...this.#common, sandbox: this.#sandbox.lane(tenantId) };
  }

  close(): Promise<void> {
    return this.#toModels.close();
  }
}

/** The operator has named the server, so it may stand where steps cannot reach. */
const platformMail = ({ server, from }: NonNullable<App['config']['mail']>): PlatformMail => ({
  server,
  from,
  net: createDialer({ allow: [{ kind: 'host', host: server.host, port: server.port }] }),
});
