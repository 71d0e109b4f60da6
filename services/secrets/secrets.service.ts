import { secretsContract } from '../../contracts/secrets';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { KeyRotation } from '../../mixins/key-rotation';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import { nullOnConflict, WriteConflict } from '../../lib/write-conflict';
import { defineService, type ServiceContext } from '../../mixins/service';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import { type App, appOf } from '../app';
import type { SecretView } from '../../contracts/secrets';
import { keysOf } from './keys';
import { secretModel, type SecretDoc } from './models';
import { sealedSecrets, Vault } from './vault';
import { pageOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';
import { assertUnused } from '../../mixins/in-use';
import { STALE_SECRETS } from '../../mixins/start-run';

const MAX_SECRET_BYTES = 64 * 1024;
/** Attempts after write conflicts. */
const MAX_TRIES = 64;

/** The secrets of tenants. Callers can store values and list names; only other services can read values. */
export const secretsService = (app: App): ServiceSchema => {
  const secrets = secretModel(app.db);
  const vault = new Vault(app.keyring);
  let service: ServiceContext;
  const rotation = new KeyRotation(app, [sealedSecrets(secrets, vault)]);

  return defineService(app, secretsContract, {
    handlers: {
      keys: async () => ({ master: { done: (await keysOf(app)).master.done } }),
      operator_keys: () => keysOf(app),
      key_details: () => keysOf(app),
      async list({ params, tenantId }) {
        const page = pageOf(params);
        const options = { sort: { name: 1 } as const, fields: ['name', 'created_at', 'updated_at'], ...page };
        return { data: (await ofTenant(secrets, tenantId).find({}, options)).map(view), ...page };
      },
      async put(ctx) {
        const { params, tenantId } = ctx;
        const bytes = Buffer.byteLength(params.value);
        if (bytes > MAX_SECRET_BYTES) {
          throw new AppError(
            'invalid_request',
            `The 'value' has ${bytes} bytes; a secret has at most ${MAX_SECRET_BYTES}`,
            { details: [{ path: 'value', message: `must be at most ${MAX_SECRET_BYTES} bytes` }] },
          );
        }
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        const saved = await replaceOrCreate(tenantId, params.name, params.value, recorded);
        await service.invalidate(`${STALE_SECRETS}${tenantId}`);
        return saved;
      },
      async remove(ctx) {
        const own = ofTenant(secrets, ctx.tenantId);
        const { name } = ctx.params;
        const missing = (): AppError => new AppError('not_found', `There is no secret named ${name}`);
        if ((await own.findOne({ name })) === null) throw missing();
        if (ctx.params.force !== true)
          await assertUnused(ctx, { kind: 'secret', refs: [name], what: `The secret ${name}` });
        const change = { action: 'secret.delete', target: targetOf(name) };
        await app.audit.audited(auditedBy(ctx), change, async () => {
          if ((await own.remove({ name })) === 0) throw missing();
        });
        await service.invalidate(`${STALE_SECRETS}${ctx.tenantId}`);
      },
      async used_by({ params: { name }, tenantId, call, folders }) {
        if ((await ofTenant(secrets, tenantId).findOne({ name })) === null)
          throw new AppError('not_found', `There is no secret named ${name}`);
        const found = await call('workflows.uses', { kind: 'secret', refs: [name] }, { asServiceOf: tenantId });
        return { ...found, data: await folders.only(found.data, (row) => row.workflow_id) };
      },
      async reveal({ params, tenantId }) {
        const found = await ofTenant(secrets, tenantId).find({ name: { $in: params.names } });
        return {
          values: Object.fromEntries(found.map((secret) => [secret.name, vault.open(tenantId, secret.name, secret)])),
        };
      },
      async missing({ params, tenantId }) {
        const found = await ofTenant(secrets, tenantId).find({ name: { $in: params.names } }, { fields: ['name'] });
        const existing = new Set(found.map((secret) => secret.name));
        return { names: [...new Set(params.names)].filter((name) => !existing.has(name)) };
      },
    },
    async started(context) {
      service = context;
      await createIndexes(secrets);
      rotation.start(context);
    },
    stopped: () => rotation.stop(),
  });

  /** Retries when another request has created or removed the secret concurrently. */
  async function replaceOrCreate(tenantId: string, secretName: string, value: string, recorded: Recorded) {
    const own = ofTenant(secrets, tenantId);
    const target = targetOf(secretName);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const created = (await own.findOne({ name: secretName })) === null;
      const now = new Date(app.clock.now());
      const sealed = vault.seal(tenantId, secretName, value);
      const saved = await nullOnConflict(
        created
          ? recorded({ action: 'secret.create', target }, () =>
              insert(own, { _id: randomId(), name: secretName, ...sealed, created_at: now, updated_at: now }),
            )
          : recorded({ action: 'secret.update', target, after: { value_changed: true } }, async () => {
              const replaced = await own.update({ name: secretName }, { $set: { ...sealed, updated_at: now } });
              if (replaced === null) throw new WriteConflict();
              return replaced;
            }),
      );
      if (saved !== null) return { ...view(saved), created };
    }
    throw new AppError('conflict', 'Too many changes of this secret at the same time; try again');
  }
};

const targetOf = (secretName: string) => ({ type: 'secret', id: secretName, name: secretName });

/** @throws WriteConflict when the name exists */
async function insert(own: TenantScope<SecretDoc>, fresh: Omit<SecretDoc, 'tenant_id'>): Promise<SecretDoc> {
  const inserted = await nullOnDuplicate(own.insert(fresh));
  if (inserted === null) throw new WriteConflict();
  return inserted;
}

const view = (secret: SecretDoc): SecretView => ({
  name: secret.name,
  created_at: secret.created_at.toISOString(),
  updated_at: secret.updated_at.toISOString(),
});

export default (broker: ServiceBroker): ServiceSchema => secretsService(appOf(broker));
