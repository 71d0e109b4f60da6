import type { EventEmitter } from 'node:events';
import type { Metrics } from './registry';

/** The used part of a command event of the MongoDB driver. */
interface CommandEvent {
  readonly commandName: string;
  readonly duration: number;
}

/** Metrics of commands and connections from the driver's events (needs `monitorCommands`). */
export function observeStore(metrics: Metrics, client: Pick<EventEmitter, 'on'>): void {
  let open = 0;
  let inUse = 0;
  client.on('commandSucceeded', ({ commandName, duration }: CommandEvent) => {
    metrics.storeDuration.observe(duration / 1_000, commandName);
  });
  client.on('commandFailed', ({ commandName, duration }: CommandEvent) => {
    metrics.storeDuration.observe(duration / 1_000, commandName);
    metrics.storeFailures.add(1, commandName);
  });
  client.on('connectionCreated', () => (open += 1));
  client.on('connectionClosed', () => (open -= 1));
  client.on('connectionCheckedOut', () => (inUse += 1));
  client.on('connectionCheckedIn', () => (inUse -= 1));
  metrics.onCollect(() => {
    metrics.storeConnections.set(open, 'open');
    metrics.storeConnections.set(inUse, 'in_use');
  });
}
