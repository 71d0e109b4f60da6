import { ClientPools } from '../../lib/client-pool';
import { createDialer, createEgress, type Dialer, type Egress, type EgressRule } from '../../lib/egress';
import { loadPrices, platformRules } from '../../lib/llm';
import { countModels } from '../../lib/metrics';
import type { ComputePool } from '../../lib/compute';
import type { SandboxPool } from '../../lib/sandbox';
import type { ModelUse, NodeCapabilities, PlatformMail } from '../../nodes/contract';
import type { App } from '../app';

/** Resources for steps on this node in addition to HTTP: script threads, sockets, models, and the installation's mailer. */
export class StepResources {
  readonly #sandbox: SandboxPool;
  readonly #compute: ComputePool;
  readonly #toModels: Egress;
  readonly #net: Dialer;
  readonly #clients = new ClientPools();
  readonly #common: Omit<NodeCapabilities, 'sandbox' | 'compute' | 'net'>;

  constructor(
    {
      sandbox,
      compute,
      metrics,
      config: { llm, mail, connectorUrls },
    }: Pick<App, 'sandbox' | 'compute' | 'metrics' | 'config'>,
    allow: readonly EgressRule[],
    /** Called with the usage of each answer of a model to a step of a tenant. */
    private readonly onSpent: (tenantId: string, use: ModelUse) => void,
  ) {
    this.#sandbox = sandbox;
    this.#compute = compute;
    this.#toModels = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.#net = createDialer({ allow });
    this.#common = {
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

  of(tenantId: string): NodeCapabilities {
    const { models } = this.#common;
    const onSpent = (use: ModelUse): void => {
      models.onSpent?.(use);
      this.onSpent(tenantId, use);
    };
    return {
      ...this.#common,
      models: { ...models, onSpent },
      sandbox: this.#sandbox.lane(tenantId),
      compute: this.#compute.lane(tenantId),
      net: { connect: this.#net.connect, clients: this.#clients.of(tenantId) },
    };
  }

  /** Database connections of steps. */
  connections(): ReturnType<ClientPools['count']> {
    return this.#clients.count();
  }

  close(): Promise<void> {
    this.#clients.close();
    return this.#toModels.close();
  }
}

/** The operator configured the server, so it may have an address that steps cannot reach. */
const platformMail = ({ server, from }: NonNullable<App['config']['mail']>): PlatformMail => ({
  server,
  from,
  net: createDialer({ allow: [{ kind: 'host', host: server.host, port: server.port }] }),
});
