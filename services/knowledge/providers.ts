import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { loadPrices, platformRules, type Price } from '../../lib/llm';
import type { App } from '../app';

/** The ways out to models: guarded as those of steps are. Opened once by the service, and closed with it. */
export class Providers {
  readonly egress: Egress;
  /** To what the operator has named, wherever it stands. */
  readonly toOurs: Egress;
  readonly prices: readonly Price[];

  constructor(readonly app: App) {
    const { egressAllow, llm } = app.config;
    const allow = parseEgressAllow(egressAllow);
    this.egress = createEgress({ allow });
    this.toOurs = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.prices = loadPrices(llm.pricesFile);
  }

  async close(): Promise<void> {
    await Promise.all([this.egress.close(), this.toOurs.close()]);
  }
}
