import type { EgressError } from '../lib/egress';
import { isObject, type Json, type JsonObject } from '../lib/json';
import type { Outcome } from './contract';

/** An attempt that failed. */
export type Failed = Extract<Outcome, { kind: 'fail' }>;

/** The step is complete. */
export const done = (output: JsonObject): Outcome => ({ kind: 'done', output });

/** The step failed, and the same input would fail again. */
export const failFinally = (code: string, message: string): Failed => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

/** The author's mistake, found where a schema cannot: names the key and what it may hold. */
export const invalidConfig = (message: string): Failed => failFinally('invalid_config', message);

/** No connection, or none that lasts: the code says after `system` what stopped it. */
export const failConnection = (system: string, { kind, retryable }: EgressError, message: string): Failed => ({
  kind: 'fail',
  error: { code: `${system}_${kind}`, message },
  retryable,
});

/** Any value as an output, which is always an object: what is none becomes its `result`. */
export const asOutput = (value: Json): JsonObject => (isObject(value) ? value : { result: value });
