import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { ConnectorCase } from '../../nodes/connectors/connector-case';
import type { Account, ConnectorResponse, ConnectorRequest, HttpAction } from '../../../nodes/connectors/contract';
import { statusFault } from '../../../nodes/connectors/http/fault';
import { urlOf } from '../../../nodes/connectors/http/url';
import { products } from '../../../nodes/connectors/products';
import { InvalidInputError } from '../../../nodes/connectors/invalid-input-error';

/** Every action of every product with an input that works. */
const subjects = products.map((connector) => {
  const file = join(__dirname, '../../nodes/connectors', `${connector.name}.cases.ts`);
  const { cases } = existsSync(file) ? (require(file) as { cases: ConnectorCase[] }) : { cases: [] };
  const uses = connector.actions.flatMap((action) => {
    const one = cases.find(({ action: name, outcome }) => name === action.name && outcome.kind === 'done');
    if (action.kind !== 'http' || one === undefined) return [];
    const account: Account = { credentials: one.credentials ?? {} };
    return [{ action, input: one.input, account }];
  });
  return { name: connector.name, connector, uses };
});

const requestOf = (action: HttpAction, input: JsonObject, account: Account): ConnectorRequest =>
  action.request(input, account, { idempotencyKey: 'key', now: 0 });

/** Fields that providers use, and values that do not belong there. */
const WORDS = [
  ...['error', 'errors', 'message', 'detail', 'details', 'description', 'code', 'title', 'extensions', 'data', 'meta'],
  ...['items', 'results', 'records', 'collection', 'nodes', 'pageInfo', 'paging', 'pagination', 'pages', 'next'],
  ...['next_page', 'next_cursor', 'next_page_token', 'nextPageToken', 'nextRecordsUrl', 'cursor', 'offset', 'after'],
  ...['additional_data', 'after_cursor', 'starting_after', 'retry_after', 'error_extra', 'has_more', 'more', '[0]'],
  ...[
    'issues',
    'tasks',
    'tickets',
    'boards',
    'orders',
    'teams',
    'userErrors',
    '_errors',
    'content',
    'cost',
    '__proto__',
  ],
];
const JUNK: Json[] = [null, true, -1, 1e308, '', 'x'.repeat(40), 'https://evil.example/?a=b', [], [null], [[]], {}];

const filled = (value: Json): JsonObject => Object.fromEntries(WORDS.map((word) => [word, value]));
const BODIES: Json[] = [
  ...JUNK,
  ...JUNK.map(filled),
  ...JUNK.map((value) => filled(filled(value))),
  ...JUNK.map((value) => filled([filled(value)])),
  ...JUNK.map((value) => [filled(value), filled(filled(value))]),
  ...JUNK.flatMap((value) => [value, [value]]).map((value) => ({ data: { made: filled(value) } })),
];
const HEADERS = {
  link: '<https://evil.example/x?page=2>; rel="next", <//evil.example>; rel="prev"; results="true"',
  date: 'yesterday',
  ...Object.fromEntries(
    ['x-ratelimit-reset', 'ratelimit-reset', 'x-ratelimit-requests-reset', 'x-sentry-rate-limit-reset'].map((name) => [
      name,
      '1e400',
    ]),
  ),
};
const STATUSES = [200, 400, 401, 403, 409, 429, 503];
const answerOf = (status: number, body: Json): ConnectorResponse => ({
  status,
  headers: HEADERS,
  body,
  bytes: Buffer.from(''),
});
const HOSTILE = ['..', '.', '../../admin', 'a/../../b', 'x?y=1', 'x#y', '%2e%2e', '//evil.example', '\u0000', ''];

/** Paths of files, which may have any number of segments. */
const FILE_PATHS: ReadonlySet<string> = new Set(['github.path', 'microsoft.path']);

const DAY_MS = 24 * 3_600_000;

describe.each(subjects)('$name', ({ name, connector, uses }) => {
  test('reports a fault for any response', () => {
    const wrong = STATUSES.flatMap((status) =>
      BODIES.flatMap((body) => {
        const answer = answerOf(status, body);
        const fault = connector.fault?.(answer) ?? statusFault(answer);
        if (fault === null) return status < 400 ? [] : [{ status, body }];
        const { code, message, retryable, retryAfterMs = 0 } = fault;
        const bounded = retryAfterMs >= 0 && retryAfterMs <= DAY_MS;
        const sound = code !== '' && typeof message === 'string' && typeof retryable === 'boolean' && bounded;
        return sound ? [] : [{ status, body, fault }];
      }),
    );
    expect(wrong.slice(0, 2)).toEqual([]);
  });

  test('reads any response, and requests the next page from the same host', () => {
    const wrong = uses.flatMap(({ action, input, account }) => {
      const request = requestOf(action, input, account);
      const base = { provider: connector.base(account), operator: undefined };
      const { origin } = new URL(urlOf(request, base));
      return BODIES.flatMap((body): unknown[] => {
        const answer = answerOf(200, body);
        if (action.pages === undefined) return isObject(action.read?.(answer, input) ?? {}) ? [] : [{ body, action }];
        const next = action.pages.next(answer, request);
        const stays = next === null || new URL(urlOf(next, base)).origin === origin;
        return stays && Array.isArray(action.pages.items(answer)) ? [] : [{ body, action: action.name, next }];
      });
    });
    expect(wrong.slice(0, 2)).toEqual([]);
  });

  test.each(uses.map((use) => [use.action.name, use] as const))(
    '%s keeps its path whatever its input is',
    (_, { action, input, account }) => {
      const base = { provider: connector.base(account), operator: undefined };
      const partsOf = (request: ConnectorRequest): string[] =>
        (urlOf({ url: request.url }, base).split(/[?#]/, 1)[0] ?? '').split('/');
      const usual = partsOf(requestOf(action, input, account));
      const members = Object.keys(input).filter((member) => !FILE_PATHS.has(`${name}.${member}`));
      const moved = members.flatMap((member) =>
        HOSTILE.flatMap((hostile) => {
          const made = attempt(() => partsOf(requestOf(action, { ...input, [member]: hostile }, account)));
          if (made === null) return [];
          const kept = made.length === usual.length && made.slice(0, 3).join() === usual.slice(0, 3).join();
          return kept && !made.some((part) => part === '..' || part === '.') ? [] : [{ member, hostile, made }];
        }),
      );
      expect(moved).toEqual([]);
    },
  );
});

/** Null when the input is refused with a message. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return null;
    throw thrown;
  }
}

test('every action of one request is among them', () => {
  const tried = subjects.flatMap(({ uses }) => uses.map(({ action }) => action));
  expect(tried).toEqual(products.flatMap(({ actions }) => actions.filter(({ kind }) => kind === 'http')));
  expect(tried.length).toBeGreaterThan(200);
});

/** The request of an action of a product with this input. */
function made(type: string, input: JsonObject): ConnectorRequest {
  const [name, action] = type.split('.');
  const subject = subjects.find((one) => one.name === name);
  const use = subject?.uses.find((one) => one.action.name === action);
  if (use === undefined) throw new Error(`there is no ${type}`);
  return requestOf(use.action, input, use.account);
}

test.each(['select', 'on_conflict', 'columns', 'order', 'limit', 'offset', 'and', 'or', 'not'])(
  'rows are not deleted by a filter on "%s", which would be no filter at all',
  (column) => {
    const input = { table: 'orders', filters: [{ column, operator: 'eq', value: 1 }] };
    expect(() => made('supabase.delete_rows', input)).toThrow(InvalidInputError);
    expect(() => made('supabase.update_rows', { ...input, values: {} })).toThrow(InvalidInputError);
  },
);

test('a value in a list of a filter stays one value', () => {
  const filters = [{ column: 'name', operator: 'in', value: ['a"),id=gt.(0', '\\"', 'b,c'] }];
  const { query } = made('supabase.delete_rows', { table: 'orders', filters });
  expect(query).toEqual({ name: ['in.("a\\"),id=gt.(0","\\\\\\"","b,c")'] });
});

test.each([
  'discord.send_message',
  'discord.edit_message',
  'discord-webhook.send_message',
  'discord-webhook.edit_message',
])('%s mentions no user for any text, unless its author allows it', (type) => {
  const input = { channel: '1', message: '2', content: '@everyone <@&1> <@2>' };
  expect(made(type, input).body).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(made(type, { ...input, mentions: ['users'] }).body).toMatchObject({ allowed_mentions: { parse: ['users'] } });
});
