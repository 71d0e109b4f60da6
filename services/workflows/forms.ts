import { baseUrlFor } from '../../lib/base-url';
import { parseDuration } from '../../lib/duration';
import { AppError } from '../../lib/errors';
import { formLinkToken } from '../../lib/form-link';
import { randomId } from '../../lib/ids';
import { jsonSize } from '../../lib/json';
import { OpaqueIds } from '../../lib/opaque-id';
import { FORM_ADDRESS } from '../../mixins/form-address';
import type { Handlers } from '../../mixins/service';
import type { App } from '../app';
import type { WorkflowStore } from './store';

const DAY_MS = 86_400_000;
const MAX_LINK_DAYS = 30;
const DEFAULT_LINK = '7d';
/** Values are in the address, which has its limits. */
const MAX_VALUES_CHARS = 2_000;

/** Addresses of forms, and links to them. */
export function forms(
  app: App,
  workflows: Pick<WorkflowStore, 'get'>,
): Pick<Handlers<'workflows'>, 'form' | 'create_form_link'> {
  const addresses = new OpaqueIds(app.keys.ids, FORM_ADDRESS);
  const urlOf = (id: string, origin: string | null | undefined): string =>
    `${baseUrlFor(app.config, origin ?? undefined)}/forms/${addresses.toPublic(id)}`;
  const hasForm = async (tenantId: string, id: string): Promise<boolean> =>
    (await workflows.get(tenantId, id)).triggers.includes('form');

  return {
    async form({ params: { id, origin }, tenantId }) {
      return { live: await hasForm(tenantId, id), url: urlOf(id, origin) };
    },

    async create_form_link({ params, tenantId, call }) {
      const { id, origin, values = {}, expires_in = DEFAULT_LINK } = params;
      if (!(await hasForm(tenantId, id)))
        throw new AppError(
          'conflict',
          'The live version of this workflow has no form: publish one with a trigger of the type form',
        );
      if (jsonSize(values, MAX_VALUES_CHARS) > MAX_VALUES_CHARS)
        throw new AppError(
          'invalid_request',
          `The 'values' of a link have at most ${MAX_VALUES_CHARS} characters as JSON`,
        );
      const { limits } = await call('auth.entitlements', {}, { asServiceOf: tenantId });
      const expiresAt = app.clock.now() + lifetimeOf(expires_in, limits.history_days);
      const token = formLinkToken(app.keys.ids, id, { nonce: randomId(), expiresAt, values });
      return { url: `${urlOf(id, origin)}?link=${token}`, expires_at: new Date(expiresAt).toISOString() };
    },
  };
}

/** Not longer than runs are kept, since the run of a link shows that it was used. @throws AppError invalid_request */
function lifetimeOf(text: string, historyDays: number | null): number {
  const max = Math.min(MAX_LINK_DAYS, historyDays ?? MAX_LINK_DAYS);
  const ms = parseDuration(text);
  if (ms !== null && ms > 0 && ms <= max * DAY_MS) return ms;
  const message = `The 'expires_in' must be a duration of at most ${max} days, such as 12h or 3d`;
  throw new AppError('invalid_request', message, { details: [{ path: 'expires_in', message }] });
}
