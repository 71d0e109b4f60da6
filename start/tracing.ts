import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock';
import type { Metrics } from '../lib/metrics';
import { createTracer, type Tracer } from '../lib/tracing';
import type { TracingConfig } from '../lib/tracing/config';
import { Exporter } from '../lib/tracing/exporter';
import { VERSION } from './version';

/** The traces of a process; `close` sends what is left. */
export interface Tracing {
  readonly tracer: Tracer;
  close(): Promise<void>;
}

/** What traces need of the process. */
export interface TracingParts {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly warn: (message: string) => void;
}

export function openTracing(config: TracingConfig, { nodeId, clock, metrics, warn }: TracingParts): Tracing {
  const { url, headers, serviceName, resource, sampler } = config;
  const exporter = new Exporter({
    url,
    headers,
    resource: {
      'service.version': VERSION,
      'service.instance.id': nodeId,
      ...resource,
      'service.name': serviceName,
    },
    version: VERSION,
    clock,
    warn,
    count: (spans, outcome) => metrics.spans.add(spans, outcome),
  });
  return { tracer: createTracer({ sampler, random: randomBytes, tell: exporter.add }), close: () => exporter.close() };
}
