import { type SourceServer, startSourceServer } from '../../support/source-server';
import { Watch } from './world';

let server: SourceServer;
let watch: Watch;
beforeEach(async () => {
  server = await startSourceServer();
  watch = new Watch('rss', { url: `${server.url}/feed` });
});
afterEach(async () => {
  await watch.close();
  await server.close();
});

const item = (n: number): string =>
  `<item><guid>g${n}</guid><title>Post ${n}</title><link>/posts/${n}</link><pubDate>Thu, 01 Jan 2026 0${n}:00:00 GMT</pubDate></item>`;
const feed = (...numbers: number[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.com/</link>${numbers.map(item).join('')}</channel></rss>`;

describe('a feed', () => {
  test('reports new entries, the oldest first', async () => {
    server.answer = () => ({ body: feed(1) });
    await watch.news();
    server.answer = () => ({ body: feed(3, 2, 1) });
    const news = await watch.news();
    expect(news.map(({ id }) => id)).toEqual(['g2', 'g3']);
    expect(news[0]?.trigger).toEqual({
      id: 'g2',
      title: 'Post 2',
      link: 'https://example.com/posts/2',
      summary: null,
      content: null,
      author: null,
      categories: [],
      published_at: '2026-01-01T02:00:00.000Z',
      updated_at: null,
      enclosure: null,
      feed: { title: 'News', link: 'https://example.com/' },
    });
  });

  test('identifies entries without ids by their content', async () => {
    const entry = (title: string): string => `<item><title>${title}</title></item>`;
    server.answer = () => ({ body: `<rss><channel>${entry('a')}</channel></rss>` });
    await watch.news();
    server.answer = () => ({ body: `<rss><channel>${entry('b')}${entry('a')}</channel></rss>` });
    expect((await watch.news()).map(({ trigger }) => trigger.title)).toEqual(['b']);
  });

  test.each([
    ['an entity of HTML that XML does not know', 'caf&eacute; &clubsuit; x', 'café ♣ x'],
    ['an entity that nothing knows', 'a &odd-one; b', 'a &odd-one; b'],
    ['the name of a member of every object', '&constructor; &toString;', '&constructor; &toString;'],
    ['an ampersand that begins no entity', 'a & b &', 'a & b &'],
    ['a tag of HTML that is never closed', 'a<br>b', 'a<br>b'],
  ])('with %s keeps it as text', async (_what, title, expected) => {
    server.answer = () => ({ body: feed(1) });
    await watch.news();
    server.answer = () => ({ body: feed(2, 1).replace('Post 2', title) });
    expect((await watch.news()).map(({ trigger }) => trigger.title)).toEqual([expected]);
  });

  test('is requested conditionally, by its ETag or its time', async () => {
    server.answer = () => ({ headers: { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }, body: feed(1) });
    await watch.poll();
    server.answer = () => ({ status: 304 });
    expect(await watch.poll()).toMatchObject({ kind: 'items', items: [] });
    expect(server.asked[1]?.headers['if-modified-since']).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
    server.answer = () => ({ headers: { etag: 'W/"2"', 'last-modified': 'x' }, body: feed(1) });
    await watch.poll();
    await watch.poll();
    expect(server.asked[3]?.headers).toMatchObject({ 'if-none-match': 'W/"2"' });
    expect(server.asked[3]?.headers['if-modified-since']).toBeUndefined();
  });

  test('that answers 304 to its first request is refused', async () => {
    server.answer = () => ({ status: 304 });
    expect(await watch.poll()).toMatchObject({ error: { code: 'http_304' } });
  });

  test.each<[string, string]>([
    ['a page that is none', '<html><body>Hello</body></html>'],
    ['nothing', ''],
  ])('that has become %s is reported and retried', async (_what, body) => {
    server.answer = () => ({ body });
    expect(await watch.poll()).toMatchObject({ error: { code: 'unreadable' }, retryable: true });
  });
});
