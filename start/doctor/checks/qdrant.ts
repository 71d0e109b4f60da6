import type { Config } from '../../../lib/config';
import { isObject } from '../../../lib/json';
import { type Check, type Finding, fault, ok, warning } from '../finding';
import { isOlder } from './nats';

const OLDEST = [1, 10] as const;
const PATIENCE_MS = 5_000;

/** Qdrant, where one is named: reached, and our key taken. */
export const qdrant: Check = {
  name: 'qdrant',
  mend: 'Check host and port in QDRANT_URL, and that Qdrant runs and may be reached from here.',
  async run({ config }) {
    if (config.qdrant === null) return [ok('none (QDRANT_URL): vectors are kept in the database')];
    const about = await ask(config.qdrant, '');
    const version = isObject(about.body) && typeof about.body.version === 'string' ? about.body.version : null;
    if (version === null) return [fault(`what answers is no Qdrant (${about.status})`, qdrant.mend)];
    const found: Finding[] = [
      isOlder(version, OLDEST)
        ? warning(`Qdrant ${version} is older than what was tried`, `Install Qdrant ${OLDEST.join('.')} or newer.`)
        : ok(`Qdrant ${version}`),
    ];
    const { status } = await ask(config.qdrant, 'collections');
    if (status === 401 || status === 403)
      found.push(fault('it does not take our key', 'Set QDRANT_API_KEY to a key that may write.'));
    else if (status !== 200)
      found.push(fault(`it answers ${status} when asked for its collections`, 'See what its log says.'));
    const { https, apiKey, host } = config.qdrant;
    if (!https && apiKey !== null && !/^(localhost|127\.|\[::1\])/.test(host))
      found.push(warning('the key goes over the network unencrypted', 'Use https:// in QDRANT_URL.'));
    return found;
  },
};

async function ask({ https, host, port, prefix, apiKey }: NonNullable<Config['qdrant']>, path: string) {
  const response = await fetch(`${https ? 'https' : 'http'}://${host}:${port}${prefix}/${path}`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
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
    // Not Qdrant's, then.
    return null;
  }
}
