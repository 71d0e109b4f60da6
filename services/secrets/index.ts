import type { ServiceSchema } from 'moleculer';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { Rotation } from '../../mixins/keys/rotation';
import { defineService } from '../../mixins/service';
import { ofTenant } from '../../mixins/tenant';
import type { App } from '../app';
import type { SecretView } from './contract';
import { keysOf } from './keys';
import { secretModel, type SecretDoc } from './models';
import { sealedSecrets, Vault } from './vault';

const NAME = /^[A-Za-z_]\w{0,127}$/;
const MOST_BYTES = 64 * 1024;

const name = {
  type: 'string',
  pattern: NAME,
  messages: {
    stringPattern: "The 'name' must be 1 to 128 letters, digits and underscores, and not begin with a digit.",
  },
} as const;
const names = { type: 'array', items: 'string', max: 10_000 } as const;

/** The tenant's vault: values go in, names come out; only other services may take a value out. */
export const secretsService = (app: App): ServiceSchema => {
  const secrets = secretModel(app.db);
  const vault = new Vault(app.keyring);
  const rotation = new Rotation(app, [sealedSecrets(secrets, vault)]);

  return defineService(app, 'secrets', {
    actions: {
      keys: {
        access: 'admin',
        summary: 'Which keys are in use, and how far a rotation is',
        params: {},
        handle: () => keysOf(app),
      },
      list: {
        access: 'member',
        summary: 'Names of the secrets',
        params: {},
        handle: async ({ tenantId }) => ({
          data: (
            await ofTenant(secrets, tenantId).find(
              {},
              { sort: { name: 1 }, fields: ['name', 'created_at', 'updated_at'] },
            )
          ).map(view),
        }),
      },
      put: {
        access: 'admin',
        summary: 'Creates or replaces a secret',
        params: { name, value: { type: 'string', min: 1 } },
        async handle({ params, tenantId }) {
          const bytes = Buffer.byteLength(params.value);
          if (bytes > MOST_BYTES) {
            throw new AppError(
              'invalid_request',
              `The 'value' has ${bytes} bytes; a secret holds at most ${MOST_BYTES}`,
              {
                details: [{ path: 'value', message: `must be at most ${MOST_BYTES} bytes` }],
              },
            );
          }
          return replaceOrCreate(tenantId, params.name, params.value);
        },
      },
      remove: {
        access: 'admin',
        summary: 'Removes a secret',
        params: { name },
        async handle({ params, tenantId }) {
          if ((await ofTenant(secrets, tenantId).remove({ name: params.name })) === 0) {
            throw new AppError('not_found', `There is no secret named ${params.name}`);
          }
        },
      },
      reveal: {
        access: 'internal',
        summary: 'Plain values of those names that exist',
        params: { names },
        async handle({ params, tenantId }) {
          const found = await ofTenant(secrets, tenantId).find({ name: { $in: params.names } });
          return {
            values: Object.fromEntries(found.map((secret) => [secret.name, vault.open(tenantId, secret.name, secret)])),
          };
        },
      },
      missing: {
        access: 'internal',
        summary: 'Those of the names that do not exist',
        params: { names },
        async handle({ params, tenantId }) {
          const found = await ofTenant(secrets, tenantId).find({ name: { $in: params.names } }, { fields: ['name'] });
          const existing = new Set(found.map((secret) => secret.name));
          return { names: [...new Set(params.names)].filter((wanted) => !existing.has(wanted)) };
        },
      },
    },
    async started(context) {
      await secrets.createIndexes();
      rotation.start(context);
    },
    stopped: () => rotation.stop(),
  });

  /** Replaces first: an insert that loses to another one's ends in a second, certain replace. */
  async function replaceOrCreate(tenantId: string, secretName: string, value: string) {
    const own = ofTenant(secrets, tenantId);
    const now = new Date(app.clock.now());
    const sealed = vault.seal(tenantId, secretName, value);
    const replace = () => own.update({ name: secretName }, { $set: { ...sealed, updated_at: now } });
    const replaced = await replace();
    if (replaced !== null) return { ...view(replaced), created: false };
    try {
      const fresh = { _id: randomId(), name: secretName, ...sealed, created_at: now, updated_at: now };
      return { ...view(await own.insert(fresh)), created: true };
    } catch (error) {
      const winner = isDuplicateKey(error) ? await replace() : null;
      if (winner === null) throw error;
      return { ...view(winner), created: false };
    }
  }
};

const view = (secret: SecretDoc): SecretView => ({
  name: secret.name,
  created_at: secret.created_at.toISOString(),
  updated_at: secret.updated_at.toISOString(),
});
