import { createDialer, type EgressRule } from '../../lib/egress';
import { loadPrices } from '../../lib/llm';
import type { SandboxPool } from '../../lib/sandbox';
import type { NodeMeans, PlatformMail } from '../../nodes/contract';
import type { App } from '../app';

/** What the steps on this node are lent beside HTTP: threads for scripts, sockets, models, the installation's mail. */
export class Means {
  readonly #sandbox: SandboxPool;
  readonly #common: Omit<NodeMeans, 'sandbox'>;

  constructor({ sandbox, config: { llm, mail } }: Pick<App, 'sandbox' | 'config'>, allow: readonly EgressRule[]) {
    this.#sandbox = sandbox;
    this.#common = {
      net: createDialer({ allow }),
      models: { platform: (provider) => llm.platform[provider], prices: loadPrices(llm.pricesFile) },
      mail: mail === null ? null : platformMail(mail),
    };
  }

  of(tenantId: string): NodeMeans {
    return { ...this.#common, sandbox: this.#sandbox.lane(tenantId) };
  }
}

/** The operator has named the server, so it may stand where steps cannot reach. */
const platformMail = ({ server, from }: NonNullable<App['config']['mail']>): PlatformMail => ({
  server,
  from,
  net: createDialer({ allow: [{ kind: 'host', host: server.host, port: server.port }] }),
});
