import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_MS = 1_000;
/** Seconds in a row that the thread has to be idle. */
const MIN_IDLE_CHECKS = 2;
const MAX_IDLE_UTILIZATION = 0.05;
/** Before the first collection: code that has not been optimized yet takes more time for the same work. */
const MAX_START_UTILIZATION = 0.15;
/** The heap has grown by so much since the last collection. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024;
const MIN_INTERVAL_CHECKS = 60;

/**
 * Collects garbage and shrinks the heap of this thread when it becomes idle after the start or after a busy time. V8 collects
 * when memory is allocated, so an idle process would keep what its start has left behind: about 40 MiB.
 */
export function shrinkWhenIdle(): void {
  const collect = collector();
  let before = performance.eventLoopUtilization();
  let idleChecks = 0;
  let checksSince = MIN_INTERVAL_CHECKS;
  let heapBytes = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    checksSince += 1;
    const maxUtilization = heapBytes === 0 ? MAX_START_UTILIZATION : MAX_IDLE_UTILIZATION;
    idleChecks = utilization < maxUtilization ? idleChecks + 1 : 0;
    if (idleChecks < MIN_IDLE_CHECKS || checksSince < MIN_INTERVAL_CHECKS) return;
    if (getHeapStatistics().total_heap_size < heapBytes + MIN_GROWTH_BYTES) return;
    collect();
    heapBytes = getHeapStatistics().total_heap_size;
    checksSince = 0;
  }, CHECK_MS).unref();
}

/** V8's own function, which only contexts made with this flag have. `last-resort` also shrinks the young generation. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  return () => gc({ type: 'major', flavor: 'last-resort' });
}
