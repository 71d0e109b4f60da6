import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Metrics } from './registry';

const PERCENTILES: readonly (readonly [string, (delay: ReturnType<typeof monitorEventLoopDelay>) => number])[] = [
  ['p50', (delay) => delay.percentile(50)],
  ['p99', (delay) => delay.percentile(99)],
  ['max', (delay) => delay.max],
];
const RESOLUTION_MS = 20;
const NS = 1e9;

const KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** A garbage collection entry, which Node's types lack. */
type GcEntry = PerformanceEntry & { readonly detail?: { readonly kind: number } };

/** Metrics of any Node process. Returns a function that ends them. */
export function observeProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const collections = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as GcEntry[])
      metrics.gcDuration.observe(duration / 1_000, KINDS.get(detail?.kind) ?? 'other');
  });
  collections.observe({ entryTypes: ['gc'] });
  metrics.startTime.set(Math.round(Date.now() / 1_000 - process.uptime()));
  let counted = 0;
  const removeCollector = metrics.onCollect(() => {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    metrics.residentMemory.set(rss);
    metrics.heapUsed.set(heapUsed);
    metrics.heapTotal.set(heapTotal);
    metrics.externalMemory.set(external);
    const { user, system } = process.cpuUsage();
    const used = (user + system) / 1e6;
    metrics.cpu.add(used - counted);
    counted = used;
    // The histogram contains the timer's period; only the excess is delay.
    for (const [name, of] of PERCENTILES) {
      const late = delay.count === 0 ? 0 : of(delay) / NS - RESOLUTION_MS / 1_000;
      metrics.eventLoopDelay.set(Math.max(0, late), name);
    }
    delay.reset();
  });
  return () => {
    removeCollector();
    delay.disable();
    collections.disconnect();
  };
}
