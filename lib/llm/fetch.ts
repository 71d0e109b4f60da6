import { fetchOver } from '../fetch-over';
import type { LlmHttp } from './types';

/** Where the providers' libraries put keys. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** `fetch` for a provider's library. Without a key the headers of keys are left out: the library was given a key that is none. */
export const providerFetch = (http: LlmHttp, apiKey: string | null, streams = false): typeof fetch =>
  fetchOver(http, {
    streams,
    intercept: (_method, headers) => {
      if (apiKey === null) for (const name of KEY_HEADERS) headers.delete(name);
      return undefined;
    },
  });
