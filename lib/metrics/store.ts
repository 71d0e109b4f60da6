import type { EventEmitter } from 'node:events';
import type { Metrics } from './registry';

/** What the driver of MongoDB tells of a command, as far as it is used here. */
interface CommandTold {
  readonly commandName: string;
  readonly duration: number;
}

/** Commands and connections, as the driver's client tells of them (it must be told to monitor commands). */
export function observeStore(metrics: Metrics, client: Pick<EventEmitter, 'on'>): void {
  let open = 0;
  let inUse = 0;
  client.on('commandSucceeded', ({ commandName, duration }: CommandTold) => {
    metrics.storeDuration.observe(duration / 1_000, commandName);
  });
  client.on('commandFailed', ({ commandName, duration }: CommandTold) => {
    metrics.storeDuration.observe(duration / 1_000, commandName);
    metrics.storeFailures.add(1, commandName);
  });
  client.on('connectionCreated', () => (open += 1));
  client.on('connectionClosed', () => (open -= 1));
  client.on('connectionCheckedOut', () => (inUse += 1));
  client.on('connectionCheckedIn', () => (inUse -= 1));
  metrics.sampled(() => {
    metrics.storeConnections.set(open, 'open');
    metrics.storeConnections.set(inUse, 'in_use');
  });
}
