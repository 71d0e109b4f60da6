import { createDialer, createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import type { Connector } from '../../nodes/connectors/contract';
import { probe } from '../../nodes/connectors/probe';
import type { NodeNet } from '../../nodes/contract';
import type { App } from '../app';

const TIMEOUT_MS = 15_000;

/** Live calls that show whether credentials count. They reach what steps reach, and nothing more. */
export class Trials {
  readonly #http: Egress;
  readonly #net: NodeNet;

  constructor(private readonly app: Pick<App, 'config' | 'clock'>) {
    const allow = parseEgressAllow(app.config.egressAllow);
    this.#http = createEgress({ allow });
    this.#net = createDialer({ allow });
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /**
   * What kept the provider from telling; null when it takes the credentials, or the connector has no way to try them.
   * @throws AppError invalid_request, in the provider's words, for credentials that it refuses
   */
  async of(connector: Connector, credentials: Readonly<Record<string, string>>): Promise<string | null> {
    const { config, clock } = this.app;
    const outcome = await probe(connector, credentials, {
      http: this.#http,
      net: this.#net,
      connectorUrls: config.connectorUrls,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      now: clock.now(),
    });
    if (outcome?.kind !== 'fail') return null;
    const { error, retryable } = outcome;
    if (retryable) return `Not tried: ${error.message}`;
    throw new AppError('invalid_request', `${connector.title} does not take the credentials: ${error.message}`);
  }
}
