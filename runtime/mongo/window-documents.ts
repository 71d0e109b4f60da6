import type { ConnectionUse } from '../core/decide/quota';

/** The starts that a throttle or a rate limit remembers. */
export interface WindowDocument {
  _id: string;
  revision: string;
  starts: { id: string; at: Date }[];
  queued: boolean;
  /** Of a window that several rates share. */
  reach?: { limit: number; period_ms: number };
  /** Of a connection: the steps that use it, and those that wait for it, in their order. */
  uses?: ConnectionUse[];
  waiters?: { id: string; run: string; since: Date; due: Date }[];
  /** Nothing in it counts after this time. */
  until: Date;
}
