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
    async handle({ params, principal }) {
      const { stored, key } = await parts.apiKeys.create(person(principal), params.name);
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
    async handle({ params, principal }) {
      await parts.apiKeys.revoke(person(principal), params.id);
      parts.changed(`auth:key:${params.id}`);
    },
  },
});
