import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../percentile';
import { Echo } from './echo';
import { Machines } from './machines';

/** Milliseconds from sending a signal until the step behind the one that waited for it has reached the world. */
interface SignalToStep {
  readonly signals: number;
  readonly p50: number;
  readonly p99: number;
}

/** Signals to runs that no host has in memory, one after the other. */
export async function measureSignals(count: number): Promise<SignalToStep> {
  const echo = await Echo.open();
  const machines = await Machines.start(2);
  const times: number[] = [];
  try {
    const wait = { id: 'wait', type: 'wait_for_signal', config: { signal: 'go' } };
    const workflow = await machines.tenant.workflow('signal', [wait, echo.step('after', 0)]);
    for (let n = 0; n < count; n++) {
      const run = await machines.tenant.start(workflow);
      while (!(await machines.tenant.waits(run))) await sleep(5);
      const next = echo.next(run);
      const sent = performance.now();
      await machines.tenant.signal(run, 'go');
      times.push((await next).at - sent);
    }
  } finally {
    await machines.stop();
    echo.close();
  }
  return { signals: count, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
