import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../lib/clock';
import { Exporter } from '../../../lib/tracing/exporter';
import type { Span } from '../../../lib/tracing/otlp';

const SPANS = 2_000;

const span: Span = {
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true },
  parentSpanId: null,
  name: 'a span',
  kind: 'internal',
  startedAt: 0,
  endedAt: 1,
  attributes: {},
  error: null,
};

describe('an exporter that is closed', () => {
  it('stops waiting at its timeout for a collector that does not answer', async () => {
    const collector = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const counts = { exported: 0, dropped: 0 };
    const exporter = new Exporter({
      url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
      headers: {},
      resource: {},
      version: '1',
      clock: systemClock,
      closeMs: 50,
      warn: () => undefined,
      count: (spans, outcome) => void (counts[outcome] += spans),
    });
    const asked = once(collector, 'request');
    for (let n = 0; n < SPANS; n++) exporter.add(span);
    await asked;
    await exporter.close();
    expect(counts).toEqual({ exported: 0, dropped: SPANS });
    collector.closeAllConnections();
    collector.close();
  }, 5_000);
});
