import type { ServiceSchema } from 'moleculer';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { Rotation } from '../../mixins/keys/rotation';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import { orOvertaken, Overtaken } from '../../mixins/overtaken';
import { defineService } from '../../mixins/service';
import { ofTenant, type TenantScope } from '../../mixins/tenant';
import type { App } from '../app';
import type { SecretView } from './contract';
import { keysOf } from './keys';
import { secretModel, type SecretDoc } from './models';
import { sealedSecrets, Vault } from './vault';

const NAME = /^[A-Za-z_]\w{0,127}$/;
const MOST_BYTES = 64 * 1024;
/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

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
        async handle(ctx) {
          const { params, tenantId } = ctx;
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
          return replaceOrCreate(tenantId, params.name, params.value, recordedBy(app.audit, auditedBy(ctx)));
        },
      },
      remove: {
        access: 'admin',
        summary: 'Removes a secret',
        params: { name },
        async handle(ctx) {
          const own = ofTenant(secrets, ctx.tenantId);
          const { name: wanted } = ctx.params;
          const missing = (): AppError => new AppError('not_found', `There is no secret named ${wanted}`);
          if ((await own.findOne({ name: wanted })) === null) throw missing();
          const change = { action: 'secret.delete', target: targetOf(wanted) };
          await app.audit.audited(auditedBy(ctx), change, async () => {
            if ((await own.remove({ name: wanted })) === 0) throw missing();
          });
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

  /** Decides anew when somebody else has made, or removed, the secret meanwhile. */
  async function replaceOrCreate(tenantId: string, secretName: string, value: string, recorded: Recorded) {
    const own = ofTenant(secrets, tenantId);
    const target = targetOf(secretName);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const created = (await own.findOne({ name: secretName })) === null;
      const now = new Date(app.clock.now());
      const sealed = vault.seal(tenantId, secretName, value);
      const saved = await orOvertaken(
        created
          ? recorded({ action: 'secret.create', target }, () =>
              insert(own, { _id: randomId(), name: secretName, ...sealed, created_at: now, updated_at: now }),
            )
          : recorded({ action: 'secret.update', target, after: { value_changed: true } }, async () => {
              const replaced = await own.update({ name: secretName }, { $set: { ...sealed, updated_at: now } });
              if (replaced === null) throw new Overtaken();
              return replaced;
            }),
      );
      if (saved !== null) return { ...view(saved), created };
    }
    throw new AppError('conflict', 'Too many changes of this secret at the same time; try again');
  }
};

const targetOf = (secretName: string) => ({ type: 'secret', id: secretName, name: secretName });

/** @throws Overtaken when there is one of the name by now */
const insert = (own: TenantScope<SecretDoc>, fresh: Omit<SecretDoc, 'tenant_id'>): Promise<SecretDoc> =>
  own.insert(fresh).catch((error: unknown) => {
    throw isDuplicateKey(error) ? new Overtaken() : error;
  });

const view = (secret: SecretDoc): SecretView => ({
  name: secret.name,
  created_at: secret.created_at.toISOString(),
  updated_at: secret.updated_at.toISOString(),
});
