import { AppError } from '../lib/errors';
import type { ActionName } from '../services/catalogue';
import type { ActionContext } from './service';

const SECRET = /^\s*\{\{\s*secret\.([A-Za-z_]\w{0,127})\s*\}\}\s*$/;

/** A text as it is, or, where it is `{{ secret.NAME }}`, the value of that secret of the caller's tenant. @throws AppError unknown_secret */
export async function resolveSecret(
  text: string,
  { call, tenantId }: Pick<ActionContext<ActionName>, 'call' | 'tenantId'>,
): Promise<string> {
  const name = SECRET.exec(text)?.[1];
  if (name === undefined) return text;
  const { values } = await call('secrets.reveal', { names: [name] }, { asServiceOf: tenantId });
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new AppError('unknown_secret', `There is no secret named ${name}`);
  return value;
}
