import { randomBytes } from 'node:crypto';
import { compileTemplate, ExpressionError, renderKey, templateRefs } from '../../dsl';
import { ComputeError } from '../../lib/compute';
import { assertNotRetryable } from '../../lib/compute/unavailable';
import { AppError } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { type SignatureSetting, schemeOf } from '../../lib/webhook-signature/setting';
import { signatureFault } from '../../lib/webhook-signature/verify';
import type { App } from '../../services/app';
import type { Call } from '../../contracts/catalogue';
import type { StartSnapshot } from '../../contracts/workflows/views';
import type { WebhookRequest } from './request';
import type { TriggerSettings } from './trigger-settings';

/** Checks the settings `signature` and `dedupe` of the `http` triggers of a workflow. */
export class WebhookChecks {
  constructor(
    private readonly app: App,
    private readonly settings: TriggerSettings,
  ) {}

  /**
   * Accepts a request when its signature is valid for one of the triggers, or a trigger requires none.
   * @throws AppError unauthenticated; provider_not_configured when a secret does not exist
   */
  async assertSigned(call: Call, workflow: StartSnapshot, { headers, raw: body }: WebhookRequest): Promise<void> {
    const configs = await this.settings.of(call, workflow, 'http');
    const signatures = configs.map(({ signature }) => signature as unknown as SignatureSetting | undefined);
    if (signatures.includes(undefined)) return;
    let fault: string | null = null;
    for (const setting of signatures as SignatureSetting[]) {
      const secret = await this.#secret(call, workflow, setting.secret);
      fault = signatureFault(schemeOf(setting), secret, { headers, body }, this.app.clock.now());
      if (fault === null) return;
    }
    throw new AppError(
      'unauthenticated',
      `${fault}. Sign the exact bytes of the body as configured in this webhook's signature`,
    );
  }

  /** The deduplication key of a request; null when no trigger has one, or the request lacks the value. */
  async dedupeKey(call: Call, workflow: StartSnapshot, trigger: JsonObject): Promise<string | null> {
    for (const { dedupe } of await this.settings.of(call, workflow, 'http')) {
      const key = dedupe === undefined ? '' : await this.#keyOf(workflow.tenant_id, dedupe as string, trigger);
      if (key !== '') return key;
    }
    return null;
  }

  async #secret(call: Call, workflow: StartSnapshot, setting: string): Promise<string> {
    const [name = ''] = templateRefs(compileTemplate(setting)).secrets;
    const values = await this.settings.secretsIn(call, workflow, setting);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined && value !== '') return value;
    throw new AppError(
      'provider_not_configured',
      `The signature of this webhook cannot be verified: there is no secret ${name}`,
    );
  }

  /** '' for a request without the value, which is never a duplicate. @throws AppError invalid_request, unavailable */
  async #keyOf(tenantId: string, dedupe: string, trigger: JsonObject): Promise<string> {
    try {
      return await renderKey(this.app.compute.lane(tenantId), compileTemplate(dedupe), {
        root: (name) => (name === 'trigger' ? trigger : undefined),
        now: this.app.clock.now(),
        random: randomBytes,
      });
    } catch (fault) {
      if (fault instanceof ExpressionError) return '';
      assertNotRetryable(fault);
      if (!(fault instanceof ComputeError)) throw fault;
      const message = `The 'dedupe' of this webhook cannot be evaluated: ${fault.message}`;
      throw new AppError('invalid_request', message, {}, { cause: fault });
    }
  }
}
