import { field, fieldOr } from '../auth';
import type { Account } from '../contract';
import { InvalidInputError } from '../invalid-input-error';

/** The base URL of a self-hosted server from a credential, without a trailing slash. @throws InvalidInputError */
export function baseUrlFrom(account: Account, name: string, absent?: string): string {
  const text = absent === undefined ? field(account, name) : fieldOr(account, name, absent);
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url === null || !plain || !/^https?:$/.test(url.protocol))
    throw new InvalidInputError(`"${name}" of the connection must look like https://name.example.com`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
