import { AppError } from '../lib/errors';
import { isBelow } from '../lib/roles';
import type { ActionName } from '../contracts/catalogue';
import type { ActionContext } from './service';

const SECRET = /^\s*\{\{\s*secret\.([A-Za-z_]\w{0,127})\s*\}\}\s*$/;

/** The name of the secret that a text refers to; null for any other text. */
export const secretNamed = (text: string): string | null => SECRET.exec(text)?.[1] ?? null;

/**
 * Refuses members of tenants that require approval to send a secret to an address of their choice, where its value could
 * be read. `remedy` is the end of the message. @throws AppError forbidden
 */
export async function assertMaySendSecrets(caller: Caller, remedy: string): Promise<void> {
  if (!(await needsApproval(caller))) return;
  throw new AppError(
    'forbidden',
    `This tenant requires approval, so only an admin or owner may send a secret to an address of their choice: ${remedy}`,
  );
}

/** Refuses members of tenants that require approval to run a document of their own. @throws AppError forbidden */
export async function assertMayRunUnapproved(caller: Caller, remedy: string): Promise<void> {
  if (!(await needsApproval(caller))) return;
  throw new AppError(
    'forbidden',
    `This tenant requires approval, so only an admin or owner may run a document that is not approved: ${remedy}`,
  );
}

type Caller = Pick<ActionContext<ActionName>, 'principal' | 'tenantId' | 'call'>;

async function needsApproval({ principal, tenantId, call }: Caller): Promise<boolean> {
  if (principal === null || !isBelow(principal.role, 'admin')) return false;
  return (await call('auth.entitlements', {}, { asServiceOf: tenantId })).require_approval;
}

/** The value of the tenant's secret for a text `{{ secret.NAME }}`; any other text unchanged. @throws AppError unknown_secret */
export async function resolveSecret(
  text: string,
  { call, tenantId }: Pick<ActionContext<ActionName>, 'call' | 'tenantId'>,
): Promise<string> {
  const name = secretNamed(text);
  if (name === null) return text;
  const { values } = await call('secrets.reveal', { names: [name] }, { asServiceOf: tenantId });
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new AppError('unknown_secret', `There is no secret named ${name}`);
  return value;
}
