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

/** A configuration error that no schema can express. The message names the key and its allowed values. */
export const invalidConfig = (message: string): Failed => failFinally('invalid_config', message);

/** A connection that failed. The error code is the name of the system and the kind of the network error. */
export const failConnection = (system: string, { kind, retryable }: EgressError, message: string): Failed => ({
  kind: 'fail',
  error: { code: `${system}_${kind}`, message },
  retryable,
});

/** Any value as an output, which must be an object: other values become its `result`. */
export const asOutput = (value: Json): JsonObject => (isObject(value) ? value : { result: value });
