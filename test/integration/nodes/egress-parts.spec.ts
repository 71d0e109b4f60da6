import { gzipSync } from 'node:zlib';
import { createEgress, parseEgressAllow } from '../../../lib/egress';
import { type Answer, startServer, type TestServer } from './server';

let server: TestServer;
let answer: Answer;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });

beforeAll(async () => {
  server = await startServer((...asked) => answer(...asked));
});
afterAll(() => Promise.all([server.close(), egress.close()]));

/** The answer, and the parts of it that were shown before it was whole. */
async function ask(path = '/') {
  const parts: string[] = [];
  const response = await egress.request({
    method: 'GET',
    url: `${server.url}${path}`,
    onPart: ({ status }, part) => parts.push(`${status} ${part}`),
  });
  return { body: response.body.toString(), parts };
}

describe('an answer whose parts are shown', () => {
  test('is asked for as it is, shown as it comes, and whole in the end', async () => {
    answer = (_request, response) => {
      response.write('one ', () => setImmediate(() => response.end('two')));
    };
    const { body, parts } = await ask();
    expect(server.seen.at(-1)?.headers['accept-encoding']).toBe('identity');
    expect([body, parts.join('')]).toEqual(['one two', '200 one 200 two']);
  });

  test('is not shown where it is packed all the same', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    };
    expect(await ask()).toEqual({ body: 'packed', parts: [] });
  });

  test('is shown of the last of several redirects alone, and not of a refusal', async () => {
    answer = ({ url }, response) => {
      if (url === '/first') response.writeHead(302, { location: '/second' }).end('elsewhere');
      else if (url === '/second') response.end('here');
      else response.writeHead(500).end('no');
    };
    expect(await ask('/first')).toEqual({ body: 'here', parts: ['200 here'] });
    expect(await ask('/broken')).toEqual({ body: 'no', parts: [] });
  });

  test('is bounded as any other, and shows nothing after its bound', async () => {
    answer = (_request, response) => {
      response.end('x'.repeat(2_000));
    };
    let shown = 0;
    const asked = egress.request({
      method: 'GET',
      url: server.url,
      maxBytes: 1_000,
      onPart: (_head, part) => void (shown += part.length),
    });
    await expect(asked).rejects.toMatchObject({ kind: 'too_large' });
    expect(shown).toBeLessThanOrEqual(1_000);
  });
});
