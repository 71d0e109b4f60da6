import type { Config } from '../../lib/config';
import type { Mail } from '../../lib/mailer';
import type { MailCause } from './mailbox-limiter';
import type { TenantDoc } from './models';

/**
 * The address of a page of the console, with a token in its query. `origin`, where a request has reached us, is for
 * answers to that very request: in a mail to another user, its sender would choose where the token goes.
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

/** Quotes a user-defined name, so that it cannot inject other text into a mail. */
const quoted = (name: string): string => `"${name.replace(/[\p{C}"]/gu, ' ').slice(0, 60)}"`;

/** A mail about an account, with what it counts as. */
export interface AccountMail extends Mail {
  readonly cause: MailCause;
}

const mail = (cause: MailCause, to: string, subject: string, lines: readonly string[]): AccountMail => ({
  cause,
  to,
  subject,
  text: `${lines.join('\n')}\n`,
});

export const inviteMail = (to: string, tenant: TenantDoc, inviter: string | null, url: string): AccountMail =>
  mail('invitation', to, 'You are invited to a team on Everstep', [
    `${inviter ?? 'An administrator'} invites you to join ${quoted(tenant.name)} (${tenant.slug}).`,
    '',
    'To accept, open this link within 7 days and choose a password:',
    url,
    '',
    'If you do not expect this, do nothing: no account is made unless you accept.',
  ]);

export const resetMail = (to: string, tenant: TenantDoc, url: string): AccountMail =>
  mail('password_reset', to, 'Set a new password', [
    `A new password was requested for your account in ${quoted(tenant.name)} (${tenant.slug}).`,
    '',
    'To set one, open this link within an hour:',
    url,
    '',
    'If you did not request it, do nothing: your password does not change.',
  ]);

export const passwordChangedMail = (to: string, tenant: TenantDoc): AccountMail =>
  mail('notice', to, 'Your password was changed', [
    `The password of your account in ${quoted(tenant.name)} (${tenant.slug}) was changed, and other sessions were ended.`,
    '',
    'If it was not you, set a new password at once and tell an owner of your team.',
  ]);

export const secondFactorMail = (to: string, tenant: TenantDoc, what: string): AccountMail =>
  mail('notice', to, 'The second factor of your account', [
    `Your account in ${quoted(tenant.name)} (${tenant.slug}): ${what}`,
    '',
    'If it was not you, change your password at once and tell an owner of your team.',
  ]);

export const passwordEndedMail = (to: string, tenant: TenantDoc): AccountMail =>
  mail('notice', to, 'Your password was removed', [
    `You have signed in to ${quoted(tenant.name)} (${tenant.slug}) by the identity provider of this installation for the first time.`,
    'The password that your account had until now is removed, and its sessions are ended, as another person may have set it.',
    '',
    'API keys that may be of that person are revoked with it. To have a password again, ask for a new one on the sign-in page.',
  ]);

export const verifyMail = (to: string, tenant: TenantDoc, url: string): AccountMail =>
  mail('verification', to, 'Confirm your e-mail address', [
    `To confirm that this is the address of your account in ${quoted(tenant.name)} (${tenant.slug}), open this link and sign in:`,
    url,
    '',
    'If you did not make this account, do nothing.',
  ]);
