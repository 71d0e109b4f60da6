import { fetchAdapter } from '../fetch-adapter';
import type { LlmHttp } from './types';

/** Headers with API keys. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** `fetch` for a provider's library. Removes key headers when there is no key: the library was given a placeholder. */
export const providerFetch = (http: LlmHttp, apiKey: string | null, streams = false): typeof fetch =>
  fetchAdapter(http, {
    streams,
    intercept: (_method, headers) => {
      if (apiKey === null) for (const name of KEY_HEADERS) headers.delete(name);
      return undefined;
    },
  });
