import { EgressError } from '../../../lib/egress';
import { fetchAdapter, type HttpTransport } from '../../../lib/fetch-adapter';

type Asked = Parameters<HttpTransport['request']>[0];

/** A client whose response begins and continues until the request is ended. */
function endless() {
  const asked: Asked[] = [];
  const http: HttpTransport = {
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

test('a streamed response is available when it starts', async () => {
  const { http } = endless();
  expect(await beginning(await fetchAdapter(http, { streams: true })('https://example.com'))).toBe('the beginning');
});

test('cancelling a streamed response ends the request', async () => {
  const { http, asked } = endless();
  const response = await fetchAdapter(http, { streams: true })('https://example.com');
  expect(asked[0]?.signal?.aborted).not.toBe(true);
  await response.body?.cancel();
  expect(asked[0]?.signal?.aborted).toBe(true);
});

test('the signal of the caller ends a streamed response, whose body rejects', async () => {
  const { http } = endless();
  const stop = new AbortController();
  const response = await fetchAdapter(http, { streams: true })('https://example.com', { signal: stop.signal });
  stop.abort();
  await expect(response.text()).rejects.toThrow('aborted');
});
