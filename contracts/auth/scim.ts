import { actions } from '../contract';
import { typed } from '../rules';
import { maybe, originParam } from './params';
import type { JsonObject } from '../../lib/json';
import * as s from '../../lib/schema';

export const SCIM_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A request of an identity provider, as the gateway has it. */
export interface ScimRequest {
  /** Signed, of the caller. */
  caller: string;
  method: (typeof SCIM_METHODS)[number];
  /** Below the endpoint. */
  path: string;
  query: Record<string, string | string[]>;
  body?: unknown;
  if_match?: string;
  if_none_match?: string;
  /** Where the client has reached the API; absent when its request does not tell. */
  origin?: string | null;
}

/** What the gateway sends back. */
export interface ScimAnswer {
  status: number;
  body?: JsonObject;
  etag?: string;
  location?: string;
}

const header = { type: 'string', max: 2_000, optional: true } as const;

export const scimActions = actions({
  scim: {
    access: 'gateway',
    summary: 'Provisions users and groups for an identity provider (SCIM 2.0)',
    params: typed<ScimRequest>()({
      caller: { type: 'string', max: 8_192 },
      method: { type: 'enum', values: [...SCIM_METHODS] },
      path: { type: 'string', max: 500 },
      query: { type: 'object' },
      body: { type: 'any', ...maybe },
      if_match: header,
      if_none_match: header,
      origin: originParam,
    }),
    result: s.typed<ScimAnswer>(),
    errors: ['unauthenticated', 'forbidden', 'quota_exceeded', 'conflict'],
  },
});
