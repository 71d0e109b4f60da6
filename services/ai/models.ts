import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import type { Json } from '../../lib/json';
import {
  type LlmRequestedModel,
  type LlmModelAccess,
  LlmError,
  listModels,
  loadPrices,
  openProvider,
  platformRules,
} from '../../lib/llm';
import { countModels } from '../../lib/metrics';
import { assertMaySendSecrets, resolveSecret, secretNamed } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import { type LlmInput, askModel } from '../../nodes/ai/llm';
import { type Model, isOutcome, modelOf, type ModelContext } from '../../nodes/ai/model';
import { SecretRedactor } from '../../runtime/core/secrets/secret-redactor';
import type { App } from '../app';
import type { ActionName } from '../../contracts/catalogue';
import type { ListedModel, ModelChoice, PlaygroundAnswer } from '../../contracts/ai';

/** Part of the request timeout that is left for the response. */
const RESPONSE_MS = 3_000;

type Caller = Pick<ActionContext<ActionName>, 'call' | 'tenantId' | 'principal'>;

/** Calls models outside of runs, with the egress rules of steps, within the request timeout. */
export class Models {
  readonly #egress: Egress;
  readonly #platformEgress: Egress;
  readonly #capabilities: Pick<ModelContext['capabilities'], 'models'>;

  constructor(private readonly app: App) {
    const { egressAllow, llm } = app.config;
    const allow = parseEgressAllow(egressAllow);
    this.#egress = createEgress({ allow });
    this.#platformEgress = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.#capabilities = {
      models: {
        platform: (provider) => llm.platform[provider],
        http: this.#platformEgress,
        prices: loadPrices(llm.pricesFile),
        onSpent: countModels(app.metrics),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#egress.close(), this.#platformEgress.close()]);
  }

  /**
   * Runs `work` with the request, in which a reference to a secret is replaced by its value. The value is redacted in the
   * result and in errors. @throws AppError unknown_secret, forbidden, and errors of `work`
   */
  async withSecret<A extends ModelChoice, T>(
    request: A,
    caller: Caller,
    work: (request: A & LlmRequestedModel) => Promise<T>,
  ): Promise<T> {
    const { api_key, base_url } = request;
    const name = api_key === undefined ? null : secretNamed(api_key);
    // The validated params contain a known provider.
    if (api_key === undefined || name === null) return work(request as A & LlmRequestedModel);
    if (base_url !== undefined) await assertMaySendSecrets(caller, `leave out "base_url", or the secret in "api_key"`);
    const value = await resolveSecret(api_key, caller);
    const redactor = new SecretRedactor(() => '');
    redactor.register(new Map([[name, value]]));
    try {
      // Results are JSON.
      return redactor.redact((await work({ ...request, api_key: value } as A & LlmRequestedModel)) as Json) as T;
    } catch (fault) {
      if (!(fault instanceof AppError)) throw fault;
      throw new AppError(fault.type, redactor.redactText(fault.message), fault.data, { cause: fault });
    }
  }

  /** The models of a provider. @throws AppError */
  async list(request: LlmRequestedModel, tenantId: string): Promise<ListedModel[]> {
    return this.#withTimeout(tenantId, async (world) => {
      const { access, ours } = accessOf(openProvider(request, this.#capabilities.models.platform));
      const http = ours ? this.#platformEgress : this.#egress;
      const listed = await listModels({ ...access, model: '' }, { http, now: world.now }, world.signal);
      return listed.map((model) => ({ ...model, provider: access.provider }));
    });
  }

  /** Answers a prompt. @throws AppError */
  async answer(input: LlmInput, tenantId: string): Promise<PlaygroundAnswer> {
    accessOf(openProvider(input, this.#capabilities.models.platform));
    const outcome = await this.#withTimeout(tenantId, (world) => askModel(input, { ...world, redact: (text) => text }));
    if (outcome.kind === 'fail') throw modelFault({ ...outcome.error, retryAfterMs: outcome.retryAfterMs });
    if (outcome.kind !== 'done') throw new AppError('internal', `Unexpected outcome of a prompt: ${outcome.kind}`);
    // The output of the step type has this type.
    return outcome.output as unknown as PlaygroundAnswer;
  }

  /** Runs `work` with a model, within the request timeout. @throws AppError */
  async use<T>(request: LlmRequestedModel, tenantId: string, work: (model: Model) => Promise<T>): Promise<T> {
    accessOf(openProvider(request, this.#capabilities.models.platform));
    return this.#withTimeout(tenantId, async (world) => {
      const model = modelOf(request, world);
      if (!isOutcome(model)) return work(model);
      throw new AppError('invalid_request', 'error' in model ? model.error.message : 'There is no such model');
    });
  }

  async #withTimeout<T>(tenantId: string, work: (world: ModelContext) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const { requestTimeoutMs } = this.app.config;
    const cancel = this.app.clock.after(Math.max(requestTimeoutMs - RESPONSE_MS, requestTimeoutMs / 2), () =>
      stop.abort(),
    );
    try {
      return await work({
        http: this.#egress,
        capabilities: { ...this.#capabilities, compute: this.app.compute.lane(tenantId) },
        now: this.app.clock.now(),
        signal: stop.signal,
      });
    } catch (fault) {
      throw fault instanceof LlmError ? modelFault(fault) : fault;
    } finally {
      cancel();
    }
  }
}

/** @throws AppError unavailable when no provider is configured, invalid_request */
function accessOf<A>(result: LlmModelAccess<A>): { access: A; ours: boolean } {
  if (result.kind === 'open') return result;
  const { problem } = result;
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
  throw new AppError(result.kind === 'unconfigured' ? 'unavailable' : 'invalid_request', sentence);
}

/** Faults that the caller can correct: a blocked address, or a request or model that the provider rejects. */
const CALLER_FAULTS: ReadonlySet<string> = new Set([
  'invalid_config',
  'llm_blocked',
  'llm_protocol',
  'llm_unsupported',
  'llm_unknown_model',
  'llm_refused',
]);

/** The API error for a provider's fault: 400 when the caller can correct it, 504 for a timeout, else 502. */
export function modelFault({
  code,
  message,
  retryAfterMs,
}: Pick<LlmError, 'message' | 'retryAfterMs'> & { code: string }): AppError {
  if (CALLER_FAULTS.has(code)) return new AppError('invalid_request', message);
  if (code === 'llm_aborted' || code === 'llm_timeout')
    return new AppError('timed_out', 'The model did not answer in time');
  const data = retryAfterMs === undefined ? {} : { retry_after: Math.ceil(retryAfterMs / 1_000) };
  return new AppError('provider_failed', message, data);
}
