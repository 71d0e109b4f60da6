import { type ErrorCode, ERRORS } from '../../lib/errors';
import type { JsonSchema } from '../../nodes/contract';
import type { ActionName } from '../../services/catalogue';
import { REFUSALS } from '../../services/refusals';
import type { Route } from '../../services/api-gateway/routes/route';
import { DEFINITIONS } from '../types';

/** What any request may meet: a bad one, one too many, and trouble of the service itself. */
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'rate_limited', 'internal', 'unavailable', 'timed_out'];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

/** By which codes a route may refuse: those of its kind, and those of its actions. In the order of ERRORS. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const given = new Set<ErrorCode>([
    ...ALWAYS,
    ...(route.path.includes('/:') ? (['not_found'] as const) : []),
    ...(route.access === 'public' ? [] : (['unauthenticated'] as const)),
    ...(route.access === 'admin' || route.access === 'owner' ? (['forbidden'] as const) : []),
    ...(route.method === 'POST' || route.method === 'PUT' ? WITH_BODY : []),
    ...ofKind(route),
    ...actionsOf(route).flatMap((action) => REFUSALS[action] ?? []),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => given.has(code));
}

/** Actions that a request of a route may end at. */
function actionsOf(route: Route): readonly ActionName[] {
  switch (route.kind) {
    case 'json':
    case 'browser':
    case 'xml':
    case 'provider webhook':
      return [route.action];
    case 'webhook':
      return [route.mode === 'run' ? 'channels.run' : 'channels.webhook'];
    case 'messaging':
      return [route.method === 'GET' ? 'channels.verify_messaging' : 'channels.message'];
    case 'stream':
      return [route.audience === 'tenant' ? 'executions.get' : 'executions.public'];
    case 'download':
      return [route.of === 'run' ? 'files.stat' : 'files.shared'];
    case 'upload':
      return [`${route.service}.begin_upload`, `${route.service}.put_upload`, `${route.service}.commit_upload`];
    case 'chat':
      return route.method === 'GET' ? ['channels.chat_door'] : ['channels.chat_door', 'channels.chat'];
    case 'approval link':
      return ['executions.decide_by_link'];
    case 'health':
    case 'asset':
      return [];
  }
}

function ofKind(route: Route): readonly ErrorCode[] {
  switch (route.kind) {
    case 'json':
      return route.idempotency === 'none' ? [] : ['idempotency_mismatch', 'idempotency_in_progress'];
    case 'webhook':
      return waits(route) ? ['execution_failed'] : [];
    case 'download':
      return ['precondition_failed', 'range_not_satisfiable'];
    case 'chat':
      // Pages of other sites than those that the chat names.
      return ['forbidden'];
    default:
      return [];
  }
}

const waits = ({ mode, method }: Extract<Route, { kind: 'webhook' }>): boolean =>
  method === 'POST' && (mode === 'sync' || mode === 'run');

/** The body of every refusal. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'Why a request was refused, or what went wrong. Programs go by `code`, which never changes.',
    type: 'object',
    properties: {
      error: { type: 'string', description: 'What is wrong and what to do, for people' },
      code: { $ref: `${DEFINITIONS}ErrorCode` },
      details: {
        type: 'array',
        description: 'Where several things are wrong, each with its place',
        items: { $ref: `${DEFINITIONS}ErrorDetail` },
      },
      request_id: { type: 'string', description: 'As in the header X-Request-ID; by it the request is found in logs' },
      execution_id: { type: 'string', description: 'The run that the request has started, where there is one' },
    },
    required: ['error', 'code', 'request_id'],
    additionalProperties: true,
  },
  ErrorCode: { type: 'string', enum: Object.keys(ERRORS) },
};

const PHRASES: Readonly<Record<number, string>> = {
  400: 'The request is not right',
  401: 'No credential, or one that does not count',
  402: 'What the plan allows is used up',
  403: 'The credential does not allow this',
  404: 'There is no such thing, or it belongs to somebody else',
  409: 'The thing is not in a state for this',
  412: 'The condition of the request does not hold',
  413: 'Larger than what is taken',
  415: 'Of a kind that is not taken',
  416: 'Nothing in this range',
  429: 'Too many requests',
  500: 'A fault of the service, or of the run that was waited for',
  502: 'Another service has failed',
  503: 'Not able to do this now, or not set up for it',
  504: 'Took too long; it may still take effect',
};

type Response = Readonly<Record<string, unknown>>;

/** The refusals of an operation by status, as references; what they name is added to `shared`. */
export function refusalsOf(route: Route, shared: Map<string, Response>): Record<string, Response> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const pages = route.kind === 'approval link';
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = `E${status}_${codes.join('_')}${pages ? '_page' : ''}`;
      shared.set(name, refusal(status, codes, pages));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function refusal(status: number, codes: readonly ErrorCode[], pages: boolean): Response {
  const retries = status === 429 || status === 503;
  const example = { error: PHRASES[status], code: codes[0], request_id: '4b1f6c1e0a3d4c5f' };
  return {
    description: `${PHRASES[status] ?? 'Refused'}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: {
      'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' },
      ...(retries ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } } : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: `${DEFINITIONS}Error` }, { type: 'object', properties: { code: { enum: codes } } }],
        },
        example,
      },
      ...(pages ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
  };
}
