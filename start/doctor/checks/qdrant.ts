import type { Config } from '../../../lib/config';
import { isObject } from '../../../lib/json';
import { type Check, type Finding, fault, ok, warning } from '../finding';
import { isOlder } from './nats';

const OLDEST = [1, 10] as const;
const TIMEOUT_MS = 5_000;

/** Qdrant, if configured: reachable, and accepts the API key. */
export const qdrant: Check = {
  name: 'qdrant',
  mend: 'Check host and port in QDRANT_URL, and that Qdrant runs and is reachable from here.',
  async run({ config }) {
    if (config.qdrant === null) return [ok('none (QDRANT_URL): vectors are kept in the database')];
    const about = await ask(config.qdrant, '');
    const version = isObject(about.body) && typeof about.body.version === 'string' ? about.body.version : null;
    if (version === null) return [fault(`the server that answers is not Qdrant (${about.status})`, qdrant.mend)];
    const found: Finding[] = [
      isOlder(version, OLDEST)
        ? warning(`Qdrant ${version} is older than the tested versions`, `Install Qdrant ${OLDEST.join('.')} or newer.`)
        : ok(`Qdrant ${version}`),
    ];
    const { status } = await ask(config.qdrant, 'collections');
    if (status === 401 || status === 403)
      found.push(fault('it rejects QDRANT_API_KEY', 'Set QDRANT_API_KEY to a key that may write.'));
    else if (status !== 200) found.push(fault(`listing its collections returns status ${status}`, 'Check its log.'));
    const { https, apiKey, host } = config.qdrant;
    if (!https && apiKey !== null && !/^(localhost|127\.|\[::1\])/.test(host))
      found.push(warning('the key goes over the network unencrypted', 'Use https:// in QDRANT_URL.'));
    return found;
  },
};

async function ask({ https, host, port, prefix, apiKey }: NonNullable<Config['qdrant']>, path: string) {
  const response = await fetch(`${https ? 'https' : 'http'}://${host}:${port}${prefix}/${path}`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'manual',
    headers: apiKey === null ? {} : { 'api-key': apiKey },
  }).catch((cause: unknown) => {
    const inner = isObject(cause) && isObject(cause.cause) ? cause.cause : {};
    throw new Error(`it cannot be reached (${String(inner.code ?? 'no answer')})`, { cause });
  });
  const text = await response.text();
  return { status: response.status, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a response of Qdrant.
    return null;
  }
}
