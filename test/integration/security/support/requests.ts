import fc from 'fast-check';
import { ROUTES } from '../../../../services/api-gateway/routes';
import type { Route } from '../../../../services/api-gateway/routes/route';
import { type Edit, edit, edited, oddText } from './odd';

/** Senders of requests. */
export const SENDERS = ['owner', 'admin', 'member', 'api key', 'outsider', 'anonymous', 'nonsense'] as const;
export type Sender = (typeof SENDERS)[number];

/** A request before it is known which ids and bodies there are. */
export interface Idea {
  readonly route: Route;
  readonly sender: Sender;
  /** One for each segment that may vary: null for an id that exists. */
  readonly odd: readonly (string | null)[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly edits: readonly Edit[];
  /** A change of the text of the body, if any. */
  readonly spoil: ((text: string) => Buffer) | null;
}

const QUERY = [
  ...[
    'limit',
    'offset',
    'cursor',
    'status',
    'workflow_id',
    'include',
    'query',
    'from',
    'to',
    'action',
    'format',
    'state',
  ],
  ...[
    'decision',
    'confirm',
    'wait',
    'challenge',
    'code',
    'tenant_slug',
    'ticket',
    'scopes',
    'token',
    'force',
    'path',
    'step_id',
    '__proto__',
    'a[b]',
  ],
];
const HEADERS = [
  ...[
    'accept',
    'idempotency-key',
    'last-event-id',
    'x-api-key',
    'x-request-id',
    'content-encoding',
    'cookie',
    'origin',
  ],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'x-http-method-override',
    'webhook-id',
    'range',
    'if-none-match',
    '__proto__',
  ],
  ...['constructor', 'upgrade', 'expect', 'te', 'authorization'],
];
const headerText = fc.oneof(
  fc.constantFrom(
    'text/html',
    'text/csv',
    'gzip',
    '*/*',
    ';;q=,',
    '0',
    '-1',
    '1, 2',
    '100-continue',
    'h2c',
    'x'.repeat(300),
  ),
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim()),
);
const TYPES = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'multipart/form-data; boundary=x', ';'],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset="',
    'application/vnd.x+json',
    'application/octet-stream',
  ],
];

const SPOILS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text.slice(0, -1)),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.concat([Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(text)]),
  (text) => Buffer.from(text.replaceAll('"', "'")),
  () => Buffer.from('['.repeat(100_000)),
  () => Buffer.from('null'),
  () => Buffer.from('{"a":1,"a":{"b":2},"__proto__":[]}'),
  () => Buffer.alloc(0),
  () => Buffer.alloc(2_000, 0),
];

const perhaps = <T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | null> =>
  fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

export const idea: fc.Arbitrary<Idea> = fc.record({
  route: fc.constantFrom(...ROUTES),
  sender: fc.oneof({ weight: 4, arbitrary: fc.constant<Sender>('owner') }, fc.constantFrom(...SENDERS)),
  odd: fc.array(perhaps(oddText, 3), { minLength: 3, maxLength: 3 }),
  query: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(fc.tuple(fc.constantFrom(...QUERY), fc.oneof(fc.constantFrom('1', 'true', 'approve'), oddText)), {
      maxLength: 4,
    }),
  ),
  headers: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    fc.dictionary(fc.constantFrom(...HEADERS), headerText, { maxKeys: 3 }),
  ),
  type: fc.oneof({ weight: 6, arbitrary: fc.constant('application/json') }, fc.constantFrom(...TYPES)),
  edits: fc.array(edit, { maxLength: 3 }),
  spoil: perhaps(fc.constantFrom(...SPOILS), 7),
});

/** Names that a removal may not have, since the requests after it need what it names. */
const lasts = ({ method }: Route): boolean => method !== 'DELETE';

/** Percent-encoded as far as it can be; half of a surrogate pair as the replacement character. */
const escape = (text: string, max: number): string => encodeURIComponent(Buffer.from(text.slice(0, max)).toString());

/** The bytes of a request. */
export function bytesOf(
  { route, odd, query, headers, type, edits, spoil }: Idea,
  given: {
    readonly ids: Readonly<Record<string, string>>;
    readonly bodies: ReadonlyMap<string, object>;
    readonly credential: string | null;
  },
): Buffer {
  let prefix = '';
  let variables = 0;
  const parts = route.path
    .slice(1)
    .split('/')
    .map((part) => {
      const isVariable = part.startsWith(':');
      prefix += isVariable ? '/:' : `/${part}`;
      if (!isVariable) return part;
      const chosen = odd[variables++ % odd.length] ?? null;
      const text = chosen ?? (lasts(route) ? given.ids[prefix] : undefined) ?? 'no-one';
      return escape(text, 3_000) || '%20';
    });
  const search = query.map(([name, value]) => `${escape(name, 50)}=${escape(value, 1_000)}`).join('&');
  const writes = route.method === 'POST' || route.method === 'PUT';
  const body = edits.reduce<unknown>(
    (value, change) => edited(value, change),
    given.bodies.get(`${route.method} ${prefix}`) ?? {},
  );
  const text = JSON.stringify(body);
  const payload = !writes ? Buffer.alloc(0) : spoil === null ? Buffer.from(text) : spoil(text);
  const own = { ...(given.credential === null ? {} : { authorization: `Bearer ${given.credential}` }), ...headers };
  const lines = [
    `${route.method} /${parts.join('/')}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
    ...(writes ? [`Content-Type: ${type}`, `Content-Length: ${payload.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), payload]);
}
