import { randomBytes } from 'node:crypto';
import { compileTemplate, ExpressionError, render } from '../../../dsl';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { MESSAGING_VARIABLES, type MessagingChannel, type MessagingKeys } from '../../../lib/messaging-config';
import type { App } from '../../app';
import type { Call } from '../../../contracts/catalogue';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type { TriggerSettings } from '../../../mixins/webhooks/trigger-settings';

const SETTINGS = {
  verifyToken: 'verify_token',
  appSecret: 'app_secret',
  authToken: 'auth_token',
} as const satisfies Record<keyof MessagingKeys, string>;

type Workflow = Pick<StartSnapshot, 'tenant_id' | 'plan_hash'>;

/**
 * The keys that authenticate a provider's requests to a workflow: those of its triggers, else those of the installation.
 * A workflow with several triggers of a channel has several valid keys.
 */
export class ChannelKeys {
  constructor(
    private readonly app: App,
    private readonly settings: TriggerSettings,
  ) {}

  /**
   * All valid values of a key.
   * @throws AppError provider_not_configured when there is none, so that unverified requests are refused
   */
  async of(call: Call, workflow: Workflow, channel: MessagingChannel, key: keyof MessagingKeys): Promise<string[]> {
    const configs = await this.settings.of(call, workflow, channel);
    const secrets = await this.settings.secretsIn(call, workflow, configs);
    const platform = this.app.config.messaging[channel];
    const found = configs.map((config) => keysOf(config, secrets, platform));
    const values = found.flatMap((keys) => keys[key] ?? []);
    if (values.length > 0) return values;
    const variable = MESSAGING_VARIABLES[channel][key];
    throw new AppError(
      'provider_not_configured',
      `Requests of this channel cannot be verified: set ${SETTINGS[key]} of the trigger ${channel} to an existing secret` +
        (variable === null ? '' : `, or set ${variable}`),
    );
  }
}

/** A trigger's setting overrides the installation's, also when its secret is missing. */
function keysOf(config: JsonObject, secrets: Readonly<Record<string, string>>, platform: MessagingKeys): MessagingKeys {
  const valueOf = (key: keyof MessagingKeys): string | null =>
    config[SETTINGS[key]] === undefined ? platform[key] : rendered(config[SETTINGS[key]] as Json, secrets);
  return { verifyToken: valueOf('verifyToken'), appSecret: valueOf('appSecret'), authToken: valueOf('authToken') };
}

/** The text of a setting; null when it is empty or uses a missing secret. */
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
