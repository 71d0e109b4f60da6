import type { Config } from '../../lib/config';
import type { Mail } from '../../lib/mailer';
import type { TenantDoc } from './models';

/**
 * The address of a page of the console, with a token in its query. `origin`, where a request has reached us, is for
 * answers to that very request: in a mail to somebody else, its sender would choose where the token goes.
 */
export function pageUrl(
  config: Pick<Config, 'signIn' | 'baseUrl' | 'port'>,
  page: string,
  token: string,
  origin: string | null = null,
): string {
  const api = config.baseUrl ?? origin ?? `http://localhost:${config.port}`;
  return `${config.signIn.frontendUrl ?? `${api}/console`}/${page}?token=${token}`;
}

/** A name that somebody chose, so that it can be nothing but a name in a mail to somebody else. */
const quoted = (name: string): string => `"${name.replace(/[\p{C}"]/gu, ' ').slice(0, 60)}"`;

const mail = (to: string, subject: string, lines: readonly string[]): Mail => ({
  to,
  subject,
  text: `${lines.join('\n')}\n`,
});

export const inviteMail = (to: string, tenant: TenantDoc, inviter: string | null, url: string): Mail =>
  mail(to, 'You are invited to a team on Everstep', [
    `${inviter ?? 'An administrator'} invites you to join ${quoted(tenant.name)} (${tenant.slug}).`,
    '',
    'To accept, open this link within 7 days and choose a password:',
    url,
    '',
    'If you do not expect this, do nothing: no account is made unless you accept.',
  ]);

export const resetMail = (to: string, tenant: TenantDoc, url: string): Mail =>
  mail(to, 'Set a new password', [
    `Somebody, most likely you, asked for a new password of your account in ${quoted(tenant.name)} (${tenant.slug}).`,
    '',
    'To set one, open this link within an hour:',
    url,
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ]);

export const passwordChangedMail = (to: string, tenant: TenantDoc): Mail =>
  mail(to, 'Your password was changed', [
    `The password of your account in ${quoted(tenant.name)} (${tenant.slug}) was changed, and other sessions were ended.`,
    '',
    'If it was not you, set a new password at once and tell an owner of your team.',
  ]);

export const verifyMail = (to: string, tenant: TenantDoc, url: string): Mail =>
  mail(to, 'Confirm your e-mail address', [
    `To confirm that this is the address of your account in ${quoted(tenant.name)} (${tenant.slug}), open this link:`,
    url,
    '',
    'If you have no such account, do nothing.',
  ]);
