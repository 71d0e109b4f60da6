import { randomId } from '../../../lib/ids';
import { auditedBy } from '../../../mixins/audit';
import type { ServiceDefinition } from '../../../mixins/service';
import { type AuthParts, person } from '../parts';
import { apiKeyView } from '../views';

const KEY_NOTE = 'Keep this key now: it is shown once and cannot be retrieved later.';

type Menu = Pick<ServiceDefinition<'auth'>['actions'], 'create_api_key' | 'list_api_keys' | 'revoke_api_key'>;

/** Long-lived credentials of users. */
export const apiKeyMenu = (parts: AuthParts): Menu => ({
  create_api_key: {
    access: 'member',
    summary: "Makes an API key with the caller's tenant and role",
    params: { name: { type: 'string', trim: true, min: 1, max: 200 } },
    async handle(ctx) {
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
  },
  list_api_keys: {
    access: 'member',
    summary: 'Names, prefixes and last uses of API keys',
    params: {},
    handle: async ({ principal }) => ({ data: (await parts.apiKeys.list(person(principal))).map(apiKeyView) }),
  },
  revoke_api_key: {
    access: 'member',
    summary: 'Makes an API key worthless at once',
    params: { id: 'string' },
    async handle(ctx) {
      const by = person(ctx.principal);
      const { _id: id, name, user_id } = await parts.apiKeys.get(by, ctx.params.id);
      const change = { action: 'api_key.revoke', target: { type: 'api_key', id, name }, before: { user: user_id } };
      await parts.app.audit.audited(auditedBy(ctx), change, () => parts.apiKeys.revoke(by, id));
      parts.changed(`auth:key:${id}`);
    },
  },
});
