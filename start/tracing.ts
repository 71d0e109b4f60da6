import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock';
import type { Metrics } from '../lib/metrics';
import { createTracer, type Tracer } from '../lib/tracing';
import type { TracingConfig } from '../lib/tracing/config';
import { Exporter } from '../lib/tracing/exporter';
import { VERSION } from './version';

/** The tracer of a process; `close` flushes it. */
export interface Tracing {
  readonly tracer: Tracer;
  close(): Promise<void>;
}

/** What tracing needs from the process. */
interface TracingParts {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly warn: (message: string) => void;
}

/** Requesting few random bytes costs as much as requesting many. */
const POOL_BYTES = 4_096;

/** Random bytes from a pool; no byte is returned twice. */
function pooledBytes(): (bytes: number) => Uint8Array {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (bytes) => {
    if (used + bytes > pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
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
  return {
    tracer: createTracer({ sampler, random: pooledBytes(), export: exporter.add }),
    close: () => exporter.close(),
  };
}
