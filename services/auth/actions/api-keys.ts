import { randomId } from '../../../lib/ids';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { type AuthDeps, person } from '../deps';
import { apiKeyView } from '../views';
import { pageOf } from '../../../lib/page';

const KEY_NOTE = 'Keep this key now: it is shown once and cannot be retrieved later.';

type Actions = Pick<Handlers<'auth'>, 'create_api_key' | 'list_api_keys' | 'revoke_api_key'>;

/** Long-lived credentials of users. */
export const apiKeyActions = (parts: AuthDeps): Actions => ({
  async create_api_key(ctx) {
    const owner = person(ctx.principal);
    const { name } = ctx.params;
    const id = randomId();
    const change = {
      action: 'api_key.create',
      target: { type: 'api_key', id, name },
      after: { user: owner.user_id },
    };
    const { stored, key } = await parts.app.audit.audited(auditedBy(ctx), change, () =>
      parts.apiKeys.create(owner, { id, name }),
    );
    return { ...apiKeyView(stored), key, note: KEY_NOTE };
  },
  async list_api_keys({ params, principal }) {
    const page = pageOf(params);
    return { data: (await parts.apiKeys.list(person(principal), page)).map(apiKeyView), ...page };
  },
  async revoke_api_key(ctx) {
    const by = person(ctx.principal);
    const { _id: id, name, user_id } = await parts.apiKeys.get(by, ctx.params.id);
    const change = { action: 'api_key.revoke', target: { type: 'api_key', id, name }, before: { user: user_id } };
    await parts.app.audit.audited(auditedBy(ctx), change, () => parts.apiKeys.revoke(by, id));
    await parts.changed(`auth:key:${id}`);
  },
});
