import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { loadPrices, platformRules, type Price } from '../../lib/llm';
import type { App } from '../app';

/** Guarded HTTP clients for embedding and reranking models. One instance per process. */
export class Providers {
  readonly egress: Egress;
  /** For model servers of the operator, which may have private addresses. */
  readonly platformEgress: Egress;
  readonly prices: readonly Price[];

  constructor(readonly app: App) {
    const { egressAllow, llm } = app.config;
    const allow = parseEgressAllow(egressAllow);
    this.egress = createEgress({ allow });
    this.platformEgress = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.prices = loadPrices(llm.pricesFile);
  }

  async close(): Promise<void> {
    await Promise.all([this.egress.close(), this.platformEgress.close()]);
  }
}
