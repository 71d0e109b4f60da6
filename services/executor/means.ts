import type { Config } from '../../lib/config';
import { createDialer, type EgressRule } from '../../lib/egress';
import { loadPrices } from '../../lib/llm';
import { SandboxPool } from '../../lib/sandbox';
import type { NodeMeans, PlatformMail } from '../../nodes/contract';

/** What the steps on this node are lent beside HTTP: threads for scripts, sockets, models, the installation's mail. */
export class Means {
  readonly #pool = new SandboxPool();
  readonly #common: Omit<NodeMeans, 'sandbox'>;

  constructor({ llm, mail }: Config, allow: readonly EgressRule[]) {
    this.#common = {
      net: createDialer({ allow }),
      models: { platform: (provider) => llm.platform[provider], prices: loadPrices(llm.pricesFile) },
      mail: mail === null ? null : platformMail(mail),
    };
  }

  of(tenantId: string): NodeMeans {
    return { ...this.#common, sandbox: this.#pool.lane(tenantId) };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The operator has named the server, so it may stand where steps cannot reach. */
const platformMail = ({ server, from }: NonNullable<Config['mail']>): PlatformMail => ({
  server,
  from,
  net: createDialer({ allow: [{ kind: 'host', host: server.host, port: server.port }] }),
});
