import type { ConnectorCase } from './connector-case';

const FEED = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
  <title>News</title><link>https://example.com/</link><description>All of it</description>
  <item><title>One &amp; all</title><link>/one</link><guid isPermaLink="false">1</guid>
    <pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate><dc:creator>Ada</dc:creator><category>a</category><category>b</category>
    <description><![CDATA[<p>First</p>]]></description>
    <enclosure url="one.mp3" length="12" type="audio/mpeg"/></item>
  <item><title>Two</title><guid>https://example.com/two</guid><pubDate>Sun, 08 Sep 2002 00:00:01 GMT</pubDate></item>
</channel></rss>`;

const NOTHING = { summary: null, content: null, author: null, categories: [], updated_at: null, enclosure: null };
const ONE = {
  ...NOTHING,
  id: '1',
  title: 'One & all',
  link: 'https://example.com/one',
  summary: '<p>First</p>',
  author: 'Ada',
  categories: ['a', 'b'],
  published_at: '2002-09-07T00:00:01.000Z',
  enclosure: { url: 'https://example.com/one.mp3', type: 'audio/mpeg' },
};
const TWO = {
  ...NOTHING,
  id: 'https://example.com/two',
  title: 'Two',
  link: 'https://example.com/two',
  published_at: '2002-09-08T00:00:01.000Z',
};
const NEWS = { title: 'News', link: 'https://example.com/' };

const reads = (title: string, input: ConnectorCase['input'], one: Partial<ConnectorCase>): ConnectorCase => ({
  title,
  action: 'read',
  input: { url: '{{server}}/feed.xml', ...input },
  expects: [{ method: 'GET', path: '/feed.xml' }],
  answers: [{ text: FEED, headers: { 'content-type': 'application/rss+xml' } }],
  outcome: { kind: 'done', output: { ...NEWS, items: [ONE, TWO], count: 2 } },
  ...one,
});

export const cases: ConnectorCase[] = [
  reads('a feed is read', {}, {}),
  reads(
    'the newest entry comes first',
    { order: 'newest', limit: 1 },
    { outcome: { kind: 'done', output: { ...NEWS, items: [TWO], count: 1 } } },
  ),
  reads(
    'a feed of Atom is read',
    {},
    {
      answers: [
        {
          text: `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><link rel="self" href="/self"/><link href="https://a.example/"/>
          <entry><id>urn:1</id><title type="xhtml"><div>Bold <b>word</b></div></title><link href="x"/><updated>2026-01-02T03:04:05Z</updated>
          <author><name>Grace</name><email>g@example.com</email></author><content>Text</content></entry></feed>`,
        },
      ],
      outcome: {
        kind: 'done',
        output: {
          title: 'A',
          link: 'https://a.example/',
          items: [
            {
              ...NOTHING,
              id: 'urn:1',
              title: 'Bold word',
              link: 'https://a.example/x',
              content: 'Text',
              author: 'Grace',
              published_at: null,
              updated_at: '2026-01-02T03:04:05.000Z',
            },
          ],
          count: 1,
        },
      },
    },
  ),
  reads(
    'a JSON feed is read',
    {},
    {
      answers: [
        {
          json: {
            version: 'https://jsonfeed.org/version/1.1',
            title: 'J',
            items: [{ id: 7, content_text: 'Hi', tags: ['x'], authors: [{ name: 'Ada' }] }],
          },
        },
      ],
      outcome: {
        kind: 'done',
        output: {
          title: 'J',
          link: null,
          items: [
            {
              ...NOTHING,
              id: '7',
              title: '',
              link: null,
              content: 'Hi',
              author: 'Ada',
              categories: ['x'],
              published_at: null,
            },
          ],
          count: 1,
        },
      },
    },
  ),
  reads(
    'a page that is no feed',
    {},
    {
      answers: [{ text: '<!DOCTYPE html><html><body>Hello</body></html>' }],
      outcome: {
        kind: 'fail',
        error: { code: 'invalid_response', message: 'The document is not an RSS, Atom or JSON feed' },
        retryable: false,
      },
    },
  ),
  reads(
    'entities that a feed declares are text',
    {},
    {
      answers: [
        {
          text: '<!DOCTYPE rss [<!ENTITY x "y">]><rss version="2.0"><channel><title>&x; &eacute;</title></channel></rss>',
        },
      ],
      outcome: { kind: 'done', output: { title: '&x; é', link: null, items: [], count: 0 } },
    },
  ),
  reads(
    'a failing server',
    {},
    {
      answers: [{ status: 503, headers: { 'retry-after': '7' }, text: 'later' }],
      outcome: {
        kind: 'fail',
        error: { code: 'provider_failed', message: 'RSS answered 503: later' },
        retryable: true,
        retryAfterMs: 7_000,
      },
    },
  ),
];
