import type { Json, JsonObject } from '../../../lib/json';
import { type Answer, type Asked, type SourceServer, startSourceServer } from '../../support/source-server';
import { NOW, Watch } from './world';

let server: SourceServer;
const watches: Watch[] = [];
beforeEach(async () => {
  server = await startSourceServer();
});
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.close();
  await server.close();
});

function watch(type: string, config: JsonObject, name: string): Watch {
  const made = new Watch(type, config, { [name]: server.url });
  watches.push(made);
  return made;
}

const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();

describe('a provider', () => {
  const chat = (): Watch => watch('chat_message', { channel: 'C1', connection: 'team' }, 'chat');

  test('that refuses a token is called once more with another one', async () => {
    server.answer = ({ headers }) =>
      headers.authorization === 'Bearer token-2'
        ? { body: { ok: true, messages: [] } }
        : { body: { ok: false, error: 'token_expired' } };
    const source = chat();
    expect(await source.poll()).toMatchObject({ kind: 'items' });
    expect(source.asked).toEqual([{ connectors: ['chat'] }, { connectors: ['chat'], refused: 'token-1' }]);
    expect(server.asked).toHaveLength(2);
  });

  test('that refuses every token is reported, without a third request', async () => {
    server.answer = () => ({ status: 401 });
    const source = watch('suite_calendar', {}, 'suite-calendar');
    expect(await source.poll()).toEqual({
      kind: 'fault',
      error: { code: 'unauthorized', message: expect.stringContaining('answered 401') },
      retryable: false,
      retryAfterMs: null,
    });
    expect(server.asked).toHaveLength(2);
  });

  test('is not called without a valid connection of the tenant', async () => {
    const source = chat();
    source.connected = { kind: 'refused', error: { code: 'connection_revoked', message: 'Connect it again' } };
    expect(await source.poll()).toMatchObject({ error: { code: 'connection_revoked' }, retryable: false });
    expect(server.asked).toEqual([]);
  });

  test('that is busy sets the time of the next poll', async () => {
    server.answer = () => ({ status: 429, headers: { 'retry-after': '30' } });
    expect(await chat().poll()).toMatchObject({
      error: { code: 'rate_limited' },
      retryable: true,
      retryAfterMs: 30_000,
    });
  });

  test('that redirects gets no credentials at the new address', async () => {
    server.answer = () => ({ status: 302, headers: { location: `${server.url}/elsewhere` } });
    expect(await chat().poll()).toMatchObject({ error: { code: 'redirected' } });
    expect(server.asked).toHaveLength(1);
  });

  test('is called only at the paths that the settings name', async () => {
    const source = watch('suite_sheet', { spreadsheet: '../../admin?x=1' }, 'suite-sheets');
    server.answer = () => ({ body: { values: [] } });
    await source.poll();
    expect(server.asked.map(({ path }) => path)).toEqual(['/v4/spreadsheets/..%2F..%2Fadmin%3Fx%3D1/values/A1%3AZZZ']);
    const above = watch('suite_sheet', { spreadsheet: '..' }, 'suite-sheets');
    expect(await above.poll()).toMatchObject({ error: { code: 'invalid_config' }, retryable: false });
  });
});

describe('messages of a channel', () => {
  let messages: JsonObject[];
  const say = (ts: number, more: JsonObject = {}): void =>
    void messages.unshift({ type: 'message', ts: ts.toFixed(6), user: 'U1', text: `at ${ts}`, ...more });
  /** Newest first, those after `oldest`, in pages. */
  const history = ({ query }: Asked): Answer => {
    const after = messages.filter(({ ts }) => Number(ts) > Number(query.oldest ?? 0));
    const from = Number(query.cursor ?? 0);
    const to = from + Number(query.limit);
    const next_cursor = to < after.length ? String(to) : '';
    return { body: { ok: true, messages: after.slice(from, to), response_metadata: { next_cursor } } };
  };
  beforeEach(() => {
    messages = [];
    server.answer = history;
  });
  const channel = (): Watch => watch('chat_message', { channel: 'C1' }, 'chat');

  test('are those written after the creation of the trigger, oldest first', async () => {
    say(1);
    const source = channel();
    expect(await source.news()).toEqual([]);
    for (const ts of [2, 3, 4]) say(ts);
    const news = await source.news();
    expect(news.map(({ trigger }) => trigger.text)).toEqual(['at 2', 'at 3', 'at 4']);
    expect(news[0]?.trigger).toMatchObject({ channel: 'C1', user: 'U1', ts: '2.000000', thread_ts: null });
    expect(await source.news()).toEqual([]);
  });

  test('of bots and of the channel itself start nothing', async () => {
    const source = channel();
    await source.news();
    say(1, { bot_id: 'B1' });
    say(2, { subtype: 'channel_join' });
    say(3, { subtype: 'file_share' });
    expect(ids(await source.news())).toEqual(['3.000000']);
  });

  test('are all reported, in any number', async () => {
    const source = channel();
    await source.news();
    for (let ts = 1; ts <= 950; ts += 1) say(ts);
    expect((await source.news()).map(({ id }) => Number(id))).toEqual(Array.from({ length: 950 }, (_, n) => n + 1));
  });

  test('of a missing channel are reported as a configuration fault', async () => {
    server.answer = () => ({ body: { ok: false, error: 'channel_not_found' } });
    expect(await channel().poll()).toMatchObject({ error: { code: 'channel_not_found' }, retryable: false });
    server.answer = () => ({ body: { ok: false, error: 'ratelimited' } });
    expect(await channel().poll()).toMatchObject({ error: { code: 'ratelimited' }, retryable: true });
  });
});

describe('rows of a sheet', () => {
  let values: Json[][];
  beforeEach(() => {
    values = [
      ['Name', 'Age', ''],
      ['Ada', 36],
    ];
    server.answer = () => ({ body: { values } });
  });
  const sheet = (config = {}): Watch => watch('suite_sheet', { spreadsheet: 's1', ...config }, 'suite-sheets');
  const rowsOf = async (source: Watch) => (await source.news()).map(({ trigger }) => trigger.row);

  test('are those added at the end, with the names of their columns', async () => {
    const source = sheet({ sheet: "It's" });
    expect(await source.news()).toEqual([]);
    expect(server.asked[0]?.path).toBe("/v4/spreadsheets/s1/values/'It''s'");
    values.push(['Bo', 7, 'x', 'y'], ['', ''], ['Cy']);
    expect(await source.news()).toEqual([
      {
        id: expect.any(String),
        trigger: {
          row: { Name: 'Bo', Age: 7, column_3: 'x', column_4: 'y' },
          values: ['Bo', 7, 'x', 'y'],
          row_number: 3,
        },
      },
      { id: expect.any(String), trigger: { row: { Name: 'Cy' }, values: ['Cy'], row_number: 5 } },
    ]);
  });

  test('are recognized when rows above them are removed or inserted', async () => {
    values.push(['Bo', 7], ['Cy', 9]);
    const source = sheet();
    await source.news();
    values.splice(1, 1);
    values.push(['Di', 1]);
    expect(await rowsOf(source)).toEqual([{ Name: 'Di', Age: 1 }]);
    values.splice(1, 0, ['New', 0], ['Newer', 0]);
    values.push(['Ed', 2]);
    expect(await rowsOf(source)).toEqual([{ Name: 'Ed', Age: 2 }]);
  });

  test('that are removed start nothing, and neither does the new last row', async () => {
    values.push(['Bo', 7]);
    const source = sheet();
    await source.news();
    values.pop();
    expect(await source.news()).toEqual([]);
    values.push(['Cy', 9]);
    expect(await rowsOf(source)).toEqual([{ Name: 'Cy', Age: 9 }]);
  });

  test('of a sheet that was empty are reported from the first row on', async () => {
    values = [];
    const source = sheet();
    await source.news();
    values = [['__proto__'], ['own']];
    const [row] = await rowsOf(source);
    expect(Object.entries(row as JsonObject)).toEqual([['__proto__', 'own']]);
  });
});

describe('events of a calendar', () => {
  /** The events; each change has a number. */
  let changes: JsonObject[];
  let forgotten: number;
  const change = (id: string, updated: string, more: JsonObject = {}): void => {
    changes = [...changes.filter((event) => event.id !== id), { id, created: at(0), updated, ...more }];
    total += 1;
    versions.set(id, total);
  };
  let total: number;
  let versions: Map<string, number>;
  beforeEach(() => {
    changes = [];
    versions = new Map();
    [total, forgotten] = [0, 0];
    server.answer = ({ query }) => {
      const after = query.syncToken === undefined ? 0 : Number(query.syncToken);
      if (query.syncToken !== undefined && after < forgotten) return { status: 410 };
      const found = changes.filter(({ id }) => (versions.get(String(id)) ?? 0) > after);
      const from = Number(query.pageToken ?? 0);
      const to = from + Number(query.maxResults);
      const items = found.slice(from, to);
      return {
        body: to < found.length ? { items, nextPageToken: String(to) } : { items, nextSyncToken: String(total) },
      };
    };
  });
  const calendar = (): Watch => watch('suite_calendar', { calendar: 'team@example.com' }, 'suite-calendar');

  test('are those created, changed or cancelled since the creation of the trigger', async () => {
    change('old', at(-10));
    const source = calendar();
    expect(await source.news()).toEqual([]);
    expect(server.asked[0]?.path).toBe('/calendars/team%40example.com/events');
    change('new', at(1), { created: at(1) });
    change('old', at(2), { created: at(-10) });
    expect((await source.news()).map(({ trigger }) => [trigger.id, trigger.change])).toEqual([
      ['new', 'created'],
      ['old', 'updated'],
    ]);
    change('old', at(3), { status: 'cancelled' });
    expect((await source.news())[0]?.trigger).toMatchObject({ id: 'old', change: 'cancelled' });
    expect(await source.news()).toEqual([]);
  });

  test('are reported once, also when the sync token has expired', async () => {
    change('a', at(-10));
    change('b', at(-9));
    const source = calendar();
    await source.news();
    change('c', at(1));
    await source.news();
    change('a', at(2));
    forgotten = total + 1;
    const news = await source.news();
    expect(news.map(({ trigger }) => trigger.id)).toEqual(['a']);
    forgotten = 0;
    change('d', at(3));
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['d']);
  });

  test('are all reported when the sync token expires within many changes, in any order', async () => {
    const source = calendar();
    change('old', at(-10));
    await source.news();
    for (let n = 0; n < 300; n += 1) change(`e${n}`, at(600 - n));
    // The first page is the newest; the rest is no longer available.
    const { answer } = server;
    server.answer = (asked) => {
      if (asked.query.pageToken !== undefined && asked.query.syncToken !== undefined) forgotten = total + 1;
      return answer(asked);
    };
    const reported = (await source.news()).map(({ trigger }) => trigger.id);
    expect(new Set(reported).size).toBe(300);
    expect(reported).toHaveLength(300);
  });

  test('of a large calendar are read over several polls, and start nothing', async () => {
    for (let n = 0; n < 3_100; n += 1) change(`e${n}`, at(-10));
    const source = calendar();
    expect(await source.poll()).toMatchObject({ items: [], more: true });
    expect(await source.news()).toEqual([]);
    change('new', at(1));
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['new']);
  });
});

describe('pages of a database', () => {
  let pages: JsonObject[];
  const page = (id: string, edited: number, more: JsonObject = {}): void => {
    pages = [
      ...pages.filter((each) => each.id !== id),
      { object: 'page', id, created_time: at(0), last_edited_time: at(edited), ...more },
    ];
  };
  beforeEach(() => {
    pages = [];
    server.answer = ({ body }) => {
      const {
        filter,
        start_cursor: start,
        page_size: size,
      } = body as {
        filter: { last_edited_time: { on_or_after: string } };
        start_cursor?: string;
        page_size: number;
      };
      const found = pages
        .filter((each) => String(each.last_edited_time) >= filter.last_edited_time.on_or_after)
        .sort((a, b) => (String(a.last_edited_time) < String(b.last_edited_time) ? -1 : 1));
      const from = Number(start ?? 0);
      const next = from + size < found.length ? String(from + size) : null;
      return { body: { results: found.slice(from, from + size), has_more: next !== null, next_cursor: next } };
    };
  });
  const database = (): Watch => watch('notes_database', { database: 'd1' }, 'notes');

  test('are those created or edited since the creation of the trigger', async () => {
    page('old', -5);
    page('now', 0);
    const source = database();
    await source.news();
    expect(server.asked[0]).toMatchObject({
      path: '/v1/databases/d1/query',
      headers: { 'notion-version': '2022-06-28' },
    });
    page('new', 1, { created_time: at(1) });
    page('old', 2);
    expect((await source.news()).map(({ trigger }) => [trigger.id, trigger.change])).toEqual([
      ['new', 'created'],
      ['old', 'updated'],
    ]);
    expect(await source.news()).toEqual([]);
  });

  test('that are edited in the minute of the last report are reported as well', async () => {
    const source = database();
    await source.news();
    page('a', 1);
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['a']);
    page('b', 1);
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['b']);
  });

  test('are all reported when very many are edited in one minute', async () => {
    const source = database();
    await source.news();
    for (let n = 0; n < 1_250; n += 1) page(`p${n}`, 1);
    expect(new Set(ids(await source.news())).size).toBe(1_250);
    expect(await source.news()).toEqual([]);
  });

  test('show their properties as plain values', async () => {
    const source = database();
    await source.news();
    page('a', 1, {
      properties: {
        Name: { type: 'title', title: [{ plain_text: 'Ship ' }, { plain_text: 'it' }] },
        State: { type: 'status', status: { name: 'Done' } },
        Tags: { type: 'multi_select', multi_select: [{ name: 'x' }, { name: 'y' }] },
        Count: { type: 'number', number: 7 },
        Sum: { type: 'formula', formula: { type: 'number', number: 8 } },
        None: { type: 'select', select: null },
        Link: { type: 'relation', relation: [{ id: 'other' }] },
      },
    });
    expect((await source.news())[0]?.trigger.properties).toEqual({
      Name: 'Ship it',
      State: 'Done',
      Tags: ['x', 'y'],
      Count: 7,
      Sum: 8,
      None: null,
      Link: ['other'],
    });
  });
});

describe('mails of the suite', () => {
  let mails: { id: string; at: number }[];
  const mail = (id: string, atSeconds: number): void => void mails.unshift({ id, at: NOW + atSeconds * 1_000 });
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  beforeEach(() => {
    mails = [];
    server.answer = ({ path, query }) => {
      const id = path.split('/messages/')[1];
      const found = mails.find((each) => each.id === id);
      if (id !== undefined && found === undefined) return { status: 404 };
      if (found !== undefined) return { body: mailBody(found) };
      const after = Number(/after:(\d+)/.exec(query.q ?? '')?.[1] ?? 0) * 1_000;
      const all = mails.filter((each) => each.at >= after);
      const from = Number(query.pageToken ?? 0);
      const to = from + Number(query.maxResults);
      const messages = all.slice(from, to).map(({ id: messageId }) => ({ id: messageId }));
      return { body: { messages, ...(to < all.length ? { nextPageToken: String(to) } : {}) } };
    };
  });
  const mailBody = ({ id, at: received }: { id: string; at: number }): JsonObject => ({
    id,
    threadId: 't1',
    internalDate: String(received),
    snippet: 'Hello',
    labelIds: ['INBOX'],
    payload: {
      mimeType: 'multipart/mixed',
      headers: [
        { name: 'From', value: 'Ada <ada@example.com>' },
        { name: 'Subject', value: `Mail ${id}` },
      ],
      parts: [
        { mimeType: 'text/plain', body: { data: encoded('Grüße') } },
        { mimeType: 'application/pdf', filename: 'a.pdf', body: { attachmentId: 'x1', size: 12 } },
      ],
    },
  });
  const inbox = (config = {}): Watch => watch('suite_mail', config, 'suite-mail');

  test('are those received since the creation of the trigger, oldest first', async () => {
    mail('old', -600);
    mail('last', 0);
    const source = inbox({ query: 'from:ada' });
    await source.news();
    expect(await source.news()).toEqual([]);
    mail('one', 0.5);
    mail('two', 30);
    const news = await source.news();
    expect(ids(news)).toEqual(['one', 'two']);
    expect(news[0]?.trigger).toEqual({
      id: 'one',
      thread_id: 't1',
      from: 'Ada <ada@example.com>',
      to: null,
      cc: null,
      subject: 'Mail one',
      message_id: null,
      date: new Date(NOW + 500).toISOString(),
      snippet: 'Hello',
      text: 'Grüße',
      html: null,
      labels: ['INBOX'],
      attachments: [{ filename: 'a.pdf', type: 'application/pdf', size: 12, attachment_id: 'x1' }],
    });
    expect(server.asked.at(-1)?.path).toMatch(/two$/);
    expect(server.asked.find(({ query }) => query.q !== undefined)?.query.q).toMatch(
      /^from:ada -in:drafts -in:sent after:\d+$/,
    );
    expect(await source.news()).toEqual([]);
  });

  test('that are stored late are found too', async () => {
    const source = inbox();
    await source.news();
    mail('new', 100);
    await source.news();
    mail('late', 40);
    expect(ids(await source.news())).toEqual(['late']);
  });

  test('are all reported, a few at a time', async () => {
    const source = inbox();
    await source.news();
    for (let n = 1; n <= 60; n += 1) mail(`m${n}`, n);
    expect(ids(await source.news())).toEqual(Array.from({ length: 60 }, (_, n) => `m${n + 1}`));
  });

  test('are all reported after a long time, though their ids exceed the stored limit', async () => {
    const source = inbox();
    await source.news();
    source.memory = 100;
    source.now = NOW + 800 * 60_000;
    for (let n = 1; n <= 700; n += 1) mail(`m${n}`, n * 60);
    const reported = ids(await source.news());
    expect(new Set(reported).size).toBe(700);
    expect(reported.length).toBeLessThan(710);
  });

  test('with a time in the future do not hide later ones', async () => {
    mail('ahead1', 1_000_000);
    const source = inbox();
    await source.news();
    mail('one', 10);
    expect(ids(await source.news())).toEqual(['one']);
    mail('ahead2', 2_000_000);
    expect(ids(await source.news())).toEqual(['ahead2']);
    mail('two', 20);
    expect(ids(await source.news())).toEqual(['two']);
  });

  test('that are removed before they are read are left out', async () => {
    const source = inbox();
    await source.news();
    mail('gone', 10);
    mail('there', 20);
    const { answer } = server;
    server.answer = (asked) => (asked.path.endsWith('/gone') ? { status: 404 } : answer(asked));
    expect(ids(await source.news())).toEqual(['there']);
  });
});
