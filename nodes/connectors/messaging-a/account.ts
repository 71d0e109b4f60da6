import { basic, bearer, field, fieldOr, type Sign } from '../auth';
import type { Account, ConnectorRequest } from '../contract';
import { urlPath } from '../http/path';
import { GRAPH_VERSION } from '../meta/fault';
import { InvalidInputError } from '../invalid-input-error';

/** Which of the two APIs an account is of. */
export type Format =
  | { readonly kind: 'json'; readonly path: string; readonly numberPath: string }
  | { readonly kind: 'form'; readonly path: string; readonly accountPath: string; readonly from: string };

const isForm = (account: Account): boolean => fieldOr(account, 'account_sid') !== '';

/** @throws InvalidInputError where the account is of neither */
export function formatOf(account: Account): Format {
  if (isForm(account)) {
    const sid = field(account, 'account_sid');
    return {
      kind: 'form',
      path: urlPath`/2010-04-01/Accounts/${sid}/Messages.json`,
      accountPath: urlPath`/2010-04-01/Accounts/${sid}.json`,
      from: field(account, 'from'),
    };
  }
  if (fieldOr(account, 'access_token') === '') {
    throw new InvalidInputError(
      'the connection needs "access_token" and "phone_number_id", or "account_sid", "auth_token" and "from"',
    );
  }
  const id = field(account, 'phone_number_id');
  return {
    kind: 'json',
    path: urlPath`/${GRAPH_VERSION}/${id}/messages`,
    numberPath: urlPath`/${GRAPH_VERSION}/${id}`,
  };
}

export const baseOf = (account: Account): string =>
  isForm(account) ? 'https://api.twilio.com' : 'https://graph.facebook.com';

const signForm = basic('account_sid', 'auth_token');
const signJson = bearer('access_token');

export const sign: Sign = (request: ConnectorRequest, account: Account) =>
  isForm(account) ? signForm(request, account) : signJson(request, account);
