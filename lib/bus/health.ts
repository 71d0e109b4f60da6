import type { ServiceBroker } from 'moleculer';
import { isConnected } from './internals';

/** Why other processes cannot be reached, without internal details; null when connected or without a bus. */
export const busFault = (broker: ServiceBroker): string | null =>
  isConnected(broker) === false ? 'no connection' : null;
