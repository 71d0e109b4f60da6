import { EgressError } from '../../../lib/egress';
import { fetchOver, type PlainHttp } from '../../../lib/fetch-over';

type Asked = Parameters<PlainHttp['request']>[0];

/** A way out whose answer begins, and then goes on until somebody ends the request. */
function endless() {
  const asked: Asked[] = [];
  const http: PlainHttp = {
    request: (request) => {
      asked.push(request);
      request.onPart?.({ status: 200, headers: {} }, Buffer.from('the beginning'));
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(new EgressError('aborted', 'the request was aborted')), {
          once: true,
        }),
      );
    },
  };
  return { http, asked };
}

const beginning = async (response: Response): Promise<string> => {
  const { value } = await (response.body as ReadableStream<Uint8Array>).getReader().read();
  return new TextDecoder().decode(value);
};

test('an answer that is streamed is there as soon as it begins', async () => {
  const { http } = endless();
  expect(await beginning(await fetchOver(http, { streams: true })('https://example.com'))).toBe('the beginning');
});

test('whoever reads a streamed answer no further ends the request', async () => {
  const { http, asked } = endless();
  const response = await fetchOver(http, { streams: true })('https://example.com');
  expect(asked[0]?.signal?.aborted).not.toBe(true);
  await response.body?.cancel();
  expect(asked[0]?.signal?.aborted).toBe(true);
});

test('the signal of the caller ends a streamed answer, whose body says so', async () => {
  const { http } = endless();
  const stop = new AbortController();
  const response = await fetchOver(http, { streams: true })('https://example.com', { signal: stop.signal });
  stop.abort();
  await expect(response.text()).rejects.toThrow('aborted');
});
