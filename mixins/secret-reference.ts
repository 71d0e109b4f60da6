import { AppError } from '../lib/errors';
import type { ActionName } from '../contracts/catalogue';
import type { ActionContext } from './service';

const SECRET = /^\s*\{\{\s*secret\.([A-Za-z_]\w{0,127})\s*\}\}\s*$/;

/** The name of the secret that a text refers to; null for any other text. */
export const secretNamed = (text: string): string | null => SECRET.exec(text)?.[1] ?? null;

/**
 * Refuses a member in a tenant that requires approval: `what` would send a secret to an address of the caller's own
 * choosing, where its value can be read. @throws AppError forbidden
 */
export async function assertMaySendSecrets(
  { principal, tenantId, call }: Pick<ActionContext<ActionName>, 'principal' | 'tenantId' | 'call'>,
  what: string,
): Promise<void> {
  if (principal?.role !== 'member') return;
  const { require_approval: required } = await call('auth.entitlements', {}, { asServiceOf: tenantId });
  if (!required) return;
  throw new AppError(
    'forbidden',
    `This tenant requires approval, so only an admin or owner may send a secret to an address of their choice: ${what}`,
  );
}

/** A text as it is, or, where it is `{{ secret.NAME }}`, the value of that secret of the caller's tenant. @throws AppError unknown_secret */
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
