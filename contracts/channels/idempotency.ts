import { once, text } from './params';
import { actions } from '../contract';
import type { Json } from '../../lib/json';
import * as s from '../../lib/schema';

export const idempotencyActions = actions({
  /** `scope` is the caller and the route. Answers what to do; `in_progress` and a differing body are refused with an error. `owner` names this request in the later calls; its key is free for others `lease_ms` after the last renewal. Older versions answer neither. */
  begin_once: {
    access: 'internal',
    summary: 'Whether a request with an Idempotency-Key is to be carried out',
    params: { scope: text, key: text, body_hash: text },
    result: s.typed<
      { kind: 'new'; owner?: string; lease_ms?: number } | { kind: 'replay'; status: number; body: Json }
    >(),
  },
  /** The request is still carried out. Not `held`: another one has taken the key over. */
  renew_once: {
    access: 'internal',
    repeatable: true,
    summary: 'Extends the lease of a request that is still carried out',
    params: { ...once, owner: text },
    result: s.typed<{ held: boolean }>(),
  },
  finish_once: {
    access: 'internal',
    repeatable: true,
    summary: 'Keeps the answer for repeats',
    params: { ...once, status: { type: 'number', integer: true }, body: { type: 'any', nullable: true } },
    result: s.nothing,
  },
  abandon_once: {
    access: 'internal',
    repeatable: true,
    summary: 'Frees the key of a request that changed nothing',
    params: once,
    result: s.nothing,
  },
});
