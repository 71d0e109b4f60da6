import type { JsonObject } from '../../../lib/json';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { NOW, Watch } from './world';

let server: SourceServer;
const watches: Watch[] = [];
/** What has changed, with the number of each change. */
let changes: { readonly item: JsonObject; readonly number: number }[];
let count: number;
/** Tokens below this number are forgotten. */
let forgotten: number;

const PAGE = 2;
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();

/** A delta query of Microsoft Graph: pages of what has changed since a token, whose links are made by `linkOf`. */
function answerDelta(linkOf: (token: string) => string, timeOf: (item: JsonObject) => string): void {
  server.answer = ({ query }) => {
    const token = query.token ?? query.$deltatoken;
    // Those of further pages are not forgotten.
    const [since = '', from = '0', isPage] = (token ?? '').split('.');
    const isLatest = token === 'latest';
    if (!isLatest && token !== undefined && isPage === undefined && Number(since) < forgotten)
      return { status: 410, body: { error: { code: 'syncStateNotFound', message: 'The token is gone' } } };
    const after = isLatest ? count : token === undefined ? 0 : Number(since);
    const least = /receivedDateTime ge (\S+)/.exec(query.$filter ?? '')?.[1] ?? '';
    const found = changes.filter(({ item, number }) => number > after && timeOf(item) >= least);
    const to = Number(from) + PAGE;
    const value = found.slice(Number(from), to).map(({ item }) => item);
    return {
      body:
        to < found.length
          ? { value, '@odata.nextLink': linkOf(`${after}.${to}.page`) }
          : { value, '@odata.deltaLink': linkOf(String(count)) },
    };
  };
}

function change(item: JsonObject): void {
  count += 1;
  changes = [...changes.filter((each) => each.item.id !== item.id), { item, number: count }];
}

function watch(type: string, config: JsonObject): Watch {
  const made = new Watch(type, config, { microsoft: server.url });
  watches.push(made);
  return made;
}

beforeEach(async () => {
  server = await startSourceServer();
  changes = [];
  count = 0;
  forgotten = 0;
});
afterEach(async () => {
  for (const each of watches.splice(0)) await each.close();
  await server.close();
});

describe('mails of Outlook', () => {
  const mail = (id: string, minutes: number, more: JsonObject = {}): JsonObject => ({
    id,
    subject: `Mail ${id}`,
    receivedDateTime: at(minutes),
    from: { emailAddress: { name: 'Ada', address: 'ada@example.com' } },
    toRecipients: [{ emailAddress: { name: 'Bob', address: 'bob@example.com' } }],
    body: { contentType: 'html', content: '<p>Hello</p>' },
    ...more,
  });
  beforeEach(() =>
    answerDelta(
      // The host of a link is not asked.
      (token) => `https://other.example.com/v1.0/me/mailFolders/inbox/messages/delta?$deltatoken=${token}`,
      (item) => String(item.receivedDateTime),
    ),
  );

  test('start runs once, the oldest first, and those from before the trigger start none', async () => {
    change(mail('old', -5));
    const source = watch('microsoft_mail', {});
    expect(await source.news()).toEqual([]);
    expect(server.asked[0]).toMatchObject({
      path: '/me/mailFolders/inbox/messages/delta',
      query: { changeType: 'created', $filter: `receivedDateTime ge ${at(0)}` },
      headers: { authorization: 'Bearer token-1' },
    });
    for (const [id, minutes] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
    ] as const)
      change(mail(id, minutes));
    const news = await source.news();
    expect(news.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(news[0]?.trigger).toMatchObject({
      subject: 'Mail a',
      from: { name: 'Ada', address: 'ada@example.com' },
      to: [{ name: 'Bob', address: 'bob@example.com' }],
      cc: [],
      html: '<p>Hello</p>',
      text: null,
      date: at(1),
    });
    change({ id: 'a', '@removed': { reason: 'deleted' } });
    expect(await source.news()).toEqual([]);
  });

  test('are not lost, and start no second run, when Graph has forgotten the token', async () => {
    const source = watch('microsoft_mail', { folder: 'Orders' });
    await source.news();
    change(mail('a', 1));
    expect((await source.news()).map(({ id }) => id)).toEqual(['a']);
    for (const n of [2, 3, 4]) change(mail(`m${n}`, n));
    forgotten = count + 1;
    expect((await source.news()).map(({ id }) => id)).toEqual(['m2', 'm3', 'm4']);
    expect(server.asked.at(-1)?.path).toBe('/me/mailFolders/Orders/messages/delta');
    forgotten = 0;
    change(mail('b', 5));
    expect((await source.news()).map(({ id }) => id)).toEqual(['b']);
  });

  test('of an account whose token is refused are asked for with the next token', async () => {
    server.answer = ({ headers }) =>
      headers.authorization === 'Bearer token-2'
        ? { body: { value: [], '@odata.deltaLink': 'https://graph.microsoft.com/x?$deltatoken=1' } }
        : { status: 401, body: { error: { code: 'InvalidAuthenticationToken', message: 'Expired' } } };
    const source = watch('microsoft_mail', {});
    expect(await source.poll()).toMatchObject({ kind: 'items', more: false });
    expect(source.asked.at(-1)).toEqual({ connectors: ['microsoft'], refused: 'token-1' });
  });

  test('without a link to what follows are a fault that is tried again', async () => {
    server.answer = () => ({ body: { value: [] } });
    expect(await watch('microsoft_mail', {}).poll()).toMatchObject({
      kind: 'fault',
      error: { code: 'unreadable' },
      retryable: true,
    });
  });
});

describe('files of OneDrive', () => {
  const file = (id: string, minutes: number, more: JsonObject = {}): JsonObject => ({
    id,
    name: `${id}.csv`,
    size: 7,
    cTag: `c-${id}-${minutes}`,
    createdDateTime: at(minutes),
    lastModifiedDateTime: at(minutes),
    parentReference: { id: 'p1', path: '/drive/root:/Orders' },
    file: { mimeType: 'text/csv' },
    ...more,
  });
  beforeEach(() =>
    answerDelta(
      (token) => `https://graph.microsoft.com/v1.0/me/drive/root/delta(token='${token}')`,
      (item) => String(item.lastModifiedDateTime),
    ),
  );

  test('start runs when they are uploaded, and when their content changes', async () => {
    change(file('old', -5));
    const source = watch('microsoft_file', {});
    expect(await source.news()).toEqual([]);
    expect(server.asked[0]).toMatchObject({ path: '/me/drive/root/delta', query: { token: 'latest' } });
    change(file('new', 1));
    change(file('old', 2, { createdDateTime: at(-5) }));
    change({ id: 'folder', folder: { childCount: 0 }, lastModifiedDateTime: at(2) });
    expect((await source.news()).map(({ trigger }) => [trigger.id, trigger.change, trigger.content_type])).toEqual([
      ['new', 'created', 'text/csv'],
      ['old', 'updated', 'text/csv'],
    ]);
    // A copy keeps the time of its original.
    change(file('copy', -20));
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['copy']);
    // Renamed: the content is the same.
    change(file('new', 3, { cTag: 'c-new-1', createdDateTime: at(1), name: 'other.csv' }));
    change({ ...file('old', 4), deleted: { state: 'deleted' } });
    expect(await source.news()).toEqual([]);
  });

  test('of one folder of a site', async () => {
    const source = watch('microsoft_file', { drive: 'b!1', folder: 'p2' });
    await source.news();
    change(file('here', 1, { parentReference: { id: 'p2' } }));
    change(file('elsewhere', 2));
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['here']);
    expect(server.asked.at(-1)?.path).toBe('/drives/b!1/root/delta');
  });

  test('are found when Graph has forgotten the token, without those from before', async () => {
    for (let n = 0; n < 5; n += 1) change(file(`old${n}`, -10 + n));
    const source = watch('microsoft_file', {});
    await source.news();
    for (let n = 1; n <= 5; n += 1) change(file(`new${n}`, n));
    forgotten = count + 1;
    expect((await source.news()).map(({ trigger }) => trigger.id)).toEqual(['new1', 'new2', 'new3', 'new4', 'new5']);
  });
});
