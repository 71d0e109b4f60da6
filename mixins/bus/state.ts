import type { ServiceBroker } from 'moleculer';

/** Why other processes cannot be reached, in words for strangers; null when they can, or there are none. */
export const busTrouble = ({ transit }: ServiceBroker): string | null =>
  transit === undefined || transit === null || transit.tx.connected ? null : 'no connection';
