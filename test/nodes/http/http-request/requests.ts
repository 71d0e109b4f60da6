import { CASE_KEY, type NodeCase } from '../../node-case';
import { failed, sending, URL } from './builders';

export const requests: NodeCase[] = [
  sending(
    'GET unless it says otherwise, with the key of the step',
    {},
    {
      method: 'GET',
      url: URL,
      headers: {},
      body: undefined,
      idempotencyKey: CASE_KEY,
    },
  ),
  sending(
    'an object goes as JSON',
    { method: 'POST', body: { a: 1 } },
    {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    },
  ),
  sending(
    'a list goes as JSON',
    { method: 'POST', body: [1] },
    { body: '[1]', headers: { 'content-type': 'application/json' } },
  ),
  sending(
    'text goes as it is',
    { method: 'POST', body: 'hello' },
    {
      body: 'hello',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    },
  ),
  sending(
    'a content type of its own wins',
    { method: 'POST', body: '<a/>', headers: { 'Content-Type': 'text/xml' } },
    {
      body: '<a/>',
      headers: { 'content-type': 'text/xml' },
    },
  ),
  sending(
    'json sends text and null as JSON',
    { method: 'POST', json: null },
    {
      body: 'null',
      headers: { 'content-type': 'application/json' },
    },
  ),
  sending(
    'a form',
    { method: 'POST', form: { a: 'x y', b: [1, true], c: null } },
    {
      body: 'a=x+y&b=1&b=true',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ),
  sending(
    'a query, before the fragment',
    { url: `${URL}?q=%20#top`, query: { tag: ['a', 'b'], page: 2, none: null } },
    {
      url: `${URL}?q=%20&tag=a&tag=b&page=2`,
    },
  ),
  sending('a query to a bare URL', { query: { 'a&b': 'c=d' } }, { url: `${URL}?a%26b=c%3Dd` }),
  sending(
    'header values become text, null leaves one out',
    { headers: { 'X-N': 1, 'X-Ok': true, 'X-None': null } },
    {
      headers: { 'x-n': '1', 'x-ok': 'true' },
    },
  ),
  sending(
    'basic authentication',
    { auth: { type: 'basic', username: 'ada', password: 'pässword' } },
    {
      headers: { authorization: `Basic ${Buffer.from('ada:pässword').toString('base64')}` },
    },
  ),
  sending(
    'bearer authentication',
    { auth: { type: 'bearer', token: 't0k' } },
    { headers: { authorization: 'Bearer t0k' } },
  ),
  sending(
    'an API key in a header',
    { auth: { type: 'api_key', name: 'X-Api-Key', value: 'k' } },
    { headers: { 'x-api-key': 'k' } },
  ),
  sending(
    'an API key in the query',
    { auth: { type: 'api_key', name: 'key', value: 'a b', in: 'query' } },
    { url: `${URL}?key=a+b` },
  ),
  sending(
    'time-out and redirects',
    { timeout: '20s', follow_redirects: false },
    { timeoutMs: 20_000, maxRedirects: 0 },
  ),
  {
    title: 'a time-out of nothing is refused',
    input: { url: URL, timeout: 0 },
    sends: [],
    outcome: failed('"timeout"', false, undefined, 'invalid_config'),
  },
];
