import { type ErrorCode, ERRORS } from '../../lib/errors';
import { START_ERRORS } from '../../contracts/shared';
import type { JsonSchema } from '../../nodes/contract';
import { type ActionName, ACTIONS } from '../../contracts/catalogue';
import type { Route } from '../../services/api-gateway/routes/route';
import { DEFINITIONS } from '../../lib/schema';

/** Codes that any request may get: for a bad request, too many requests, and faults of the service. */
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'rate_limited', 'internal', 'unavailable', 'timed_out'];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

/** The error codes of a route: those of its kind and those of its actions, in the order of ERRORS. */
function codesOf(route: Route): readonly ErrorCode[] {
  const given = new Set<ErrorCode>([
    ...ALWAYS,
    ...(route.path.includes('/:') ? (['not_found'] as const) : []),
    ...(route.access === 'public' ? [] : ([route.access === 'operator' ? 'not_found' : 'unauthenticated'] as const)),
    // Viewers, keys with a smaller scope, and members without a right on the folder.
    ...(['member', 'admin', 'owner'].includes(route.access) ? (['forbidden'] as const) : []),
    ...(isClosedWhileSuspended(route) ? (['tenant_suspended'] as const) : []),
    ...(route.method === 'POST' || route.method === 'PUT' ? WITH_BODY : []),
    ...ofKind(route),
    ...actionsOf(route).flatMap((action) => ACTIONS[action].errors ?? []),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => given.has(code));
}

/** Whether it refuses members of a suspended tenant; see mixins/caller.ts. */
const isClosedWhileSuspended = (route: Route): boolean =>
  route.method !== 'GET' &&
  ['member', 'admin', 'owner'].includes(route.access) &&
  !(route.kind === 'json' && 'whileSuspended' in ACTIONS[route.action]);

/** The actions that a route may call. */
function actionsOf(route: Route): readonly ActionName[] {
  switch (route.kind) {
    case 'json':
    case 'browser':
    case 'xml':
    case 'provider webhook':
      return [route.action];
    case 'messaging':
      return [route.method === 'GET' ? 'channels.verify_messaging' : 'channels.message'];
    case 'stream':
      return [route.audience === 'tenant' ? 'executions.get' : 'executions.public'];
    case 'download':
      return [route.of === 'run' ? 'files.stat' : 'files.shared'];
    case 'download link':
      return ['auth.redeem_download'];
    case 'upload':
      return [`${route.service}.begin_upload`, `${route.service}.put_upload`, `${route.service}.commit_upload`];
    case 'chat':
      return route.method === 'GET' ? ['channels.chat_door'] : ['channels.chat_door', 'channels.chat'];
    case 'approval link':
      return ['executions.decide_by_link'];
    case 'webhook':
    case 'tenant stream':
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
      return [
        'not_found',
        'unauthenticated',
        ...(route.mode === 'run' ? [] : (['provider_not_configured'] as const)),
        ...START_ERRORS,
        'idempotency_mismatch',
        'conflict',
        ...(waits(route) ? (['execution_failed'] as const) : []),
      ];
    case 'download':
      return ['precondition_failed', 'range_not_satisfiable'];
    case 'chat':
      // Pages of origins that the chat does not list.
      return ['forbidden'];
    default:
      return [];
  }
}

const waits = ({ mode, method }: Extract<Route, { kind: 'webhook' }>): boolean =>
  method === 'POST' && (mode === 'sync' || mode === 'run');

/** The body of every error response. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'Why a request was refused or failed. Programs decide by `code`, which never changes.',
    type: 'object',
    properties: {
      error: { type: 'string', description: 'What is wrong and what to do, as a text for people' },
      code: { $ref: `${DEFINITIONS}ErrorCode` },
      details: {
        type: 'array',
        description: 'Each fault with its path',
        items: { $ref: `${DEFINITIONS}ErrorDetail` },
      },
      request_id: { type: 'string', description: 'The same as the header X-Request-ID; logs have it too' },
      execution_id: { type: 'string', description: 'The execution that the request started, if any' },
    },
    required: ['error', 'code', 'request_id'],
    additionalProperties: true,
  },
  ErrorCode: { type: 'string', enum: Object.keys(ERRORS) },
};

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'No valid credential',
  402: 'A limit of the plan is reached',
  403: 'The credential does not allow this',
  404: 'Not found, or owned by another tenant',
  409: 'The state of the resource does not allow this',
  412: 'The condition of the request does not hold',
  413: 'Too large',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  423: 'The workspace is suspended',
  429: 'Too many requests',
  500: 'A fault of the service, or of the execution that was waited for',
  502: 'An external provider failed',
  503: 'Unavailable now, or not configured',
  504: 'Timed out; the request may still take effect',
};

type Response = Readonly<Record<string, unknown>>;

/** The error responses of an operation by status, as references; their definitions are added to `shared`. */
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

const lineOf = (code: ErrorCode): string => `- \`${code}\`: ${ERRORS[code].meaning} ${ERRORS[code].action}`;

function refusal(status: number, codes: readonly ErrorCode[], pages: boolean): Response {
  const retries = status === 429 || status === 503;
  const example = { error: PHRASES[status], code: codes[0], request_id: '4b1f6c1e0a3d4c5f' };
  return {
    description: `${PHRASES[status] ?? 'Refused'}.\n\n${codes.map(lineOf).join('\n')}`,
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
