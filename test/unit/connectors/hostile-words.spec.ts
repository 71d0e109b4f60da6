import type { Json, JsonObject } from '../../../lib/json';
import type {
  Account,
  Connector,
  ConnectorResponse,
  ConnectorRequest,
  HttpAction,
} from '../../../nodes/connectors/contract';
import { botMessenger } from '../../../nodes/connectors/bot-messenger';
import { neutral } from '../../../nodes/connectors/neutral';
import { suiteDrive } from '../../../nodes/connectors/suite-drive';
import { suiteSheets } from '../../../nodes/connectors/suite-sheets';
import { InvalidInputError } from '../../../nodes/connectors/invalid-input-error';

const WORLD = { idempotencyKey: 'key', now: Date.UTC(2030, 0, 1) };
const HOSTILE = [
  '../../admin',
  'a/b',
  '..',
  '.',
  '',
  'x?admin=1',
  'x#y',
  'x%2f..%2fy',
  '//evil.example',
  'ü\r\nx: y',
  '\ud800',
];

const accountOf = ({ auth }: Connector): Account => ({
  credentials: Object.fromEntries(auth.fields.map(({ name, example }) => [name, example ?? 'sample'])),
});

/** An input with the example of each required member. */
const sampleOf = ({ input, required }: HttpAction): JsonObject =>
  Object.fromEntries(
    required.map((name) => {
      const { examples, enum: words } = (input[name] ?? {}) as { examples?: never[]; enum?: never[] };
      return [name, examples?.[0] ?? words?.[0] ?? 'sample'];
    }),
  );

const actions = neutral.flatMap((connector) =>
  connector.actions
    .filter((action) => action.kind === 'http')
    .map((action) => ({ type: `${connector.name}.${action.name}`, connector, action })),
);

const urlOf = (action: HttpAction, account: Account, input: JsonObject): string | null => {
  try {
    return action.request(input, account, WORLD).url;
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return null;
    throw thrown;
  }
};

test.each(actions)('$type: no value of its input changes other parts of the path', ({ connector, action }) => {
  const account = accountOf(connector);
  const sample = sampleOf(action);
  for (const name of Object.keys(action.input)) {
    const plain = urlOf(action, account, { ...sample, [name]: 'QQQQ' });
    for (const word of HOSTILE) {
      const url = urlOf(action, account, { ...sample, [name]: word });
      // An empty value counts as missing.
      if (url === null || plain === null || word === '') continue;
      expect(url).toBe(plain.replaceAll('QQQQ', encodeURIComponent(word.replace(/\p{Cs}/gu, '\ufffd'))));
      expect(url.split('/')).not.toContain('..');
    }
  }
});

/** Malformed responses: nothing, or unexpected values in each field that a provider uses. */
const JUNK: Json[] = [null, true, -1, 1e308, '', 'x'.repeat(40), [], [null], [[]], {}];
const PLACES = [
  'error',
  'errors',
  'message',
  'ok',
  'data',
  'items',
  'results',
  'messages',
  'channels',
  'payload',
  'user',
];
const MARKS = ['nextPageToken', 'next_cursor', 'next_page', 'response_metadata', 'has_more'];
const WORDS = [
  'id',
  'code',
  'values',
  'updates',
  'sheets',
  'files',
  'properties',
  'parameters',
  'headers',
  'parts',
  'body',
];
const filled = (value: Json): JsonObject =>
  Object.fromEntries([...PLACES, ...MARKS, ...WORDS].map((name) => [name, value]));
const BODIES: Json[] = [...JUNK, ...JUNK.map(filled), ...JUNK.map((value) => filled([filled(value)]))];

const answerOf = (status: number, body: Json): ConnectorResponse => ({
  status,
  headers: {},
  body,
  bytes: Buffer.from('x'),
});

test.each(actions)(
  '$type: reads any response, and requests the next page from the same host',
  ({ connector, action }) => {
    const sample = sampleOf(action);
    for (const body of BODIES) {
      const answer = answerOf(200, body);
      const read: unknown = action.read?.(answer, sample) ?? {};
      expect(read).toEqual(expect.any(Object));
      if (action.pages === undefined) continue;
      expect(Array.isArray(action.pages.items(answer))).toBe(true);
      const asked = action.request(sample, accountOf(connector), WORLD);
      expect(action.pages.next(answer, asked)?.url ?? asked.url).toBe(asked.url);
    }
  },
);

test.each(neutral.map((connector) => ({ name: connector.name, connector })))(
  '$name: tells any fault in a word and a sentence',
  ({ connector }) => {
    for (const status of [200, 400, 401, 403, 409, 429, 503])
      for (const body of BODIES) {
        const found = connector.fault?.(answerOf(status, body)) ?? null;
        if (found === null) continue;
        expect([typeof found.code, typeof found.message, typeof found.retryable]).toEqual([
          'string',
          'string',
          'boolean',
        ]);
        expect(found.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
      }
  },
);

const request = (connector: Connector, name: string, input: JsonObject): ConnectorRequest => {
  const action = connector.actions.find((one) => one.name === name);
  if (action?.kind !== 'http') throw new Error(`${connector.name} has no such action`);
  return action.request(input, accountOf(connector), WORLD);
};

test('words of a search cannot end their quotes', () => {
  const { query } = request(suiteDrive, 'search_files', { name_contains: "x' or '1' = '1", folder_id: "\\'" });
  expect(query?.q).toBe("trashed = false and name contains 'x\\' or \\'1\\' = \\'1' and '\\\\\\'' in parents");
});

test('rows are plain values by default, so that untrusted text is not a formula', () => {
  const input = { spreadsheet_id: 'x', range: 'A', rows: [['=IMPORTDATA("https://evil.example")']] };
  for (const name of ['append_rows', 'update_range'])
    expect(request(suiteSheets, name, input).query).toMatchObject({ valueInputOption: 'RAW' });
});

test.each(['../../x', 'a/b', 'a?b', 'a b', ''])('a bot token %j is refused, not put into a path', (bot_token) => {
  const ask = () => botMessenger.sign({ method: 'GET', url: '/getMe' }, { credentials: { bot_token } });
  expect(ask).toThrow(InvalidInputError);
});
