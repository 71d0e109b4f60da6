import { field, fieldOr } from '../auth';
import type { Account } from '../contract';
import { Unusable } from '../unusable';

/**
 * The address of a customer's own installation, of a field: without query, fragment and the slash at its end.
 * @throws Unusable
 */
export function siteOf(account: Account, name: string, absent?: string): string {
  const text = absent === undefined ? field(account, name) : fieldOr(account, name, absent);
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url === null || !plain || !/^https?:$/.test(url.protocol))
    throw new Unusable(`"${name}" of the connection must look like https://name.example.com`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
