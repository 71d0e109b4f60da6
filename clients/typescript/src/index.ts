/** A typed client of the Everstep API, for Node 20 and browsers. */
export type * from './api.ts';
export { API_VERSION } from './api.ts';
export { type CallOptions, type Client, type ClientOptions, createClient, type ServerEvent } from './client.ts';
export { EverstepError } from './error.ts';
export type { RetryPolicy } from './retry.ts';
