import { createDialer, createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import type { Connector } from '../../nodes/connectors/contract';
import { testCredentials } from '../../nodes/connectors/connection-test';
import type { NodeNet } from '../../nodes/contract';
import type { App } from '../app';

const TIMEOUT_MS = 15_000;

/** Live calls that test credentials. They may reach the same hosts as steps. */
export class ConnectionTests {
  readonly #http: Egress;
  readonly #net: NodeNet;

  constructor(private readonly app: Pick<App, 'config' | 'clock' | 'compute'>) {
    const allow = parseEgressAllow(app.config.egressAllow);
    this.#http = createEgress({ allow });
    this.#net = createDialer({ allow });
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /**
   * Tests credentials. Returns why the test was inconclusive; null when the provider accepts them, or the connector has no
   * test. @throws AppError invalid_request with the provider's message for rejected credentials
   */
  async test(
    tenantId: string,
    connector: Connector,
    credentials: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const { config, clock, compute } = this.app;
    const outcome = await testCredentials(connector, credentials, {
      http: this.#http,
      net: this.#net,
      compute: compute.lane(tenantId),
      connectorUrls: config.connectorUrls,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      now: clock.now(),
    });
    if (outcome?.kind !== 'fail') return null;
    const { error, retryable } = outcome;
    if (retryable) return `Not tested: ${error.message}`;
    throw new AppError('invalid_request', `${connector.title} rejected the credentials: ${error.message}`);
  }
}
