import type { Config } from '../../../lib/config';
import { type Check, type Finding, fault, note, ok, warning } from '../finding';

/** BASE_URL and TRUST_PROXY. */
export const addresses: Check = {
  name: 'addresses',
  mend: 'Set BASE_URL to the address by which people reach the service.',
  run: async ({ config }) => [...baseUrlFindings(config), ...proxyFindings(config)],
};

/** Pure. */
export function baseUrlFindings({ baseUrl, mongoUrl, production, trustProxy }: Config): Finding[] {
  const set = 'Set BASE_URL to the address by which people reach the service, such as https://flow.example.com.';
  if (baseUrl === null) {
    const serious = production || mongoUrl !== null || trustProxy.length > 0;
    return serious
      ? [
          warning(
            'without BASE_URL, links in mails and responses point to localhost, or to the host name that clients send',
            set,
          ),
        ]
      : [ok('links point to localhost')];
  }
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '')
    return [fault('BASE_URL holds a user or a password, and every client can see it', set)];
  if (url.search !== '' || url.hash !== '')
    return [fault('BASE_URL has a query or a fragment, so no path can be appended', set)];
  const local = isLocal(url.hostname);
  if (local && (production || mongoUrl !== null))
    return [warning(`BASE_URL points to ${url.hostname}, which is another machine for remote clients`, set)];
  if (url.protocol === 'http:' && !local)
    return [
      warning(
        'BASE_URL is http: tokens and data go over the network unencrypted',
        'Put a proxy with TLS in front and set BASE_URL to https://.',
      ),
    ];
  return [ok(`links point to ${url.origin}${url.pathname === '/' ? '' : url.pathname}`)];
}

/** Pure. */
export function proxyFindings({ trustProxy, baseUrl }: Config): Finding[] {
  const wide = trustProxy.filter((rule) => rule.kind === 'network' && rule.prefix === 0);
  if (wide.length > 0)
    return [
      fault(
        'TRUST_PROXY names every address: clients can claim any address',
        'Name only the addresses of your proxies.',
      ),
    ];
  if (trustProxy.length === 0 && baseUrl?.startsWith('https:') === true)
    return [
      warning(
        'BASE_URL is https, so a proxy stands in front, but TRUST_PROXY names none: all clients share one address',
        'Set TRUST_PROXY to the addresses of the proxy.',
      ),
    ];
  return trustProxy.length === 0
    ? [note('no proxy is trusted (TRUST_PROXY)')]
    : [ok(`${trustProxy.length} proxies or networks are trusted`)];
}

const isLocal = (host: string): boolean => host === 'localhost' || host === '[::1]' || host.startsWith('127.');
