import { randomBytes } from 'node:crypto';
import { compileTemplate, ExpressionError, render, templateRefs } from '../../../dsl';
import { Cache } from '../../../lib/cache';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { MESSAGING_VARIABLES, type MessagingChannel, type MessagingKeys } from '../../../lib/messaging-config';
import { ReadThrough } from '../../../lib/read-through';
import type { App } from '../../app';
import type { Call } from '../../catalogue';
import type { Startable } from '../../workflows/contract';

/** A changed secret counts within this time. */
const KEYS_TTL_MS = 1_000;
const MOST_KEYS = 5_000;
const MOST_PLANS = 10_000;
/** Plans never change under their hash; this only bounds how long unused ones are remembered. */
const PLAN_TTL_MS = 3_600_000;

const SETTINGS = {
  verifyToken: 'verify_token',
  appSecret: 'app_secret',
  authToken: 'auth_token',
} as const satisfies Record<keyof MessagingKeys, string>;

type Workflow = Pick<Startable, 'tenant_id' | 'plan_hash'>;

/**
 * What shows that a request comes from the provider, for one workflow: what its triggers say, and the installation's keys
 * where they say nothing. A workflow with several triggers of a channel has several keys, each of which will do.
 */
export class ChannelKeys {
  readonly #configs: Cache<readonly JsonObject[]>;
  readonly #values: ReadThrough<readonly MessagingKeys[]>;

  constructor(private readonly app: App) {
    const now = (): number => app.clock.now();
    this.#configs = new Cache({ max: MOST_PLANS, ttlMs: PLAN_TTL_MS, now });
    this.#values = new ReadThrough({ max: MOST_KEYS, ttlMs: KEYS_TTL_MS, now });
  }

  /**
   * All values that one key may have.
   * @throws AppError provider_not_configured when there is none: what cannot be checked is not taken
   */
  async of(call: Call, workflow: Workflow, channel: MessagingChannel, key: keyof MessagingKeys): Promise<string[]> {
    const id = `${workflow.tenant_id}:${channel}:${workflow.plan_hash}`;
    const found = await this.#values.get(id, () => this.#read(call, workflow, channel));
    const values = found.flatMap((keys) => keys[key] ?? []);
    if (values.length > 0) return values;
    const variable = MESSAGING_VARIABLES[channel][key];
    throw new AppError(
      'provider_not_configured',
      `This channel cannot be checked: give the trigger ${channel} a ${SETTINGS[key]} (a secret that exists)` +
        (variable === null ? '' : `, or set ${variable}`),
    );
  }

  async #read(call: Call, workflow: Workflow, channel: MessagingChannel): Promise<readonly MessagingKeys[]> {
    const configs = await this.#configsOf(call, workflow, channel);
    const names = [...new Set(configs.flatMap((config) => templateRefs(compileTemplate(config)).secrets))];
    const asService = { asServiceOf: workflow.tenant_id };
    const { values } = names.length === 0 ? { values: {} } : await call('secrets.reveal', { names }, asService);
    const platform = this.app.config.messaging[channel];
    return configs.map((config) => keysOf(config, values, platform));
  }

  async #configsOf(call: Call, workflow: Workflow, channel: MessagingChannel): Promise<readonly JsonObject[]> {
    const id = `${channel}:${workflow.plan_hash}`;
    const known = this.#configs.get(id);
    if (known !== undefined) return known;
    const { triggers } = await call(
      'workflows.plan',
      { hash: workflow.plan_hash },
      { asServiceOf: workflow.tenant_id },
    );
    const configs = triggers.filter(({ type }) => type === channel).map(({ config }) => config);
    this.#configs.set(id, configs);
    return configs;
  }
}

/** What a trigger says goes before what the installation says, also where its secret is missing. */
function keysOf(config: JsonObject, secrets: Readonly<Record<string, string>>, platform: MessagingKeys): MessagingKeys {
  const valueOf = (key: keyof MessagingKeys): string | null =>
    config[SETTINGS[key]] === undefined ? platform[key] : rendered(config[SETTINGS[key]] as Json, secrets);
  return { verifyToken: valueOf('verifyToken'), appSecret: valueOf('appSecret'), authToken: valueOf('authToken') };
}

/** The text of a setting; null when a secret in it does not exist, or nothing is left of it. */
function rendered(setting: Json, secrets: Readonly<Record<string, string>>): string | null {
  try {
    const value = render(compileTemplate(setting), {
      root: (name) => (name === 'secret' ? { ...secrets } : undefined),
      now: 0,
      random: randomBytes,
    });
    return typeof value === 'string' && value !== '' ? value : null;
  } catch (fault) {
    if (fault instanceof ExpressionError) return null;
    throw fault;
  }
}
