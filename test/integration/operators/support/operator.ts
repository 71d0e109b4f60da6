import type { Session } from '../../../../contracts/auth/accounts';
import { registerTenant } from '../../../support/accounts';
import type { TestApp } from '../../../support/app';
import { ask } from '../../../support/http';
import { type MailServer, tokenIn } from '../../../support/mail-server';

export const OPERATOR = 'ada@example.com';

/** Follows the link of the mail that confirms the address of a new account. */
export async function confirm(app: TestApp, mails: MailServer, { token, user }: Session): Promise<void> {
  const link = tokenIn(await mails.next(user.email, 'Confirm your e-mail address'));
  const { status } = await ask(app, 'POST /api/v1/auth/verify-email', { token, body: { token: link } });
  if (status !== 200) throw new Error(`The address of ${user.email} could not be confirmed: ${status}`);
}

/** The account of OPERATOR in a tenant of its own, its address confirmed. */
export async function signUpOperator(app: TestApp, mails: MailServer): Promise<Session> {
  const session = await registerTenant(app, { email: OPERATOR, tenant_name: 'Operations' });
  await confirm(app, mails, session);
  return session;
}
