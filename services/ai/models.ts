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
import { type Model, isOutcome, modelOf, type ModelWorld } from '../../nodes/ai/model';
import { SecretRedactor } from '../../runtime/core/secrets/secret-redactor';
import type { App } from '../app';
import type { ActionName } from '../../contracts/catalogue';
import type { ListedModel, ModelAsked, PlaygroundAnswer } from '../../contracts/ai';
import { modelFault } from './faults';

/** Time that an answer needs on its way back. */
const WAY_BACK_MS = 3_000;

type Caller = Pick<ActionContext<ActionName>, 'call' | 'tenantId' | 'principal'>;

/** Models as people ask them by hand: guarded as steps are, in the time that a request has. */
export class Models {
  readonly #egress: Egress;
  readonly #toOurs: Egress;
  readonly #capabilities: Pick<ModelWorld['capabilities'], 'models'>;

  constructor(private readonly app: App) {
    const { egressAllow, llm } = app.config;
    const allow = parseEgressAllow(egressAllow);
    this.#egress = createEgress({ allow });
    this.#toOurs = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.#capabilities = {
      models: {
        platform: (provider) => llm.platform[provider],
        http: this.#toOurs,
        prices: loadPrices(llm.pricesFile),
        onSpent: countModels(app.metrics),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#egress.close(), this.#toOurs.close()]);
  }

  /**
   * Does `work` with what was asked, with the value of a secret in place of its name. Neither the answer nor an error
   * shows that value. @throws AppError unknown_secret, forbidden, and what `work` throws
   */
  async with<A extends ModelAsked, T>(
    asked: A,
    caller: Caller,
    work: (asked: A & LlmRequestedModel) => Promise<T>,
  ): Promise<T> {
    const { api_key, base_url } = asked;
    const name = api_key === undefined ? null : secretNamed(api_key);
    // The provider is one of those that there are: the params were checked.
    if (api_key === undefined || name === null) return work(asked as A & LlmRequestedModel);
    if (base_url !== undefined) await assertMaySendSecrets(caller, `leave out "base_url", or the secret in "api_key"`);
    const value = await resolveSecret(api_key, caller);
    const redactor = new SecretRedactor(() => '');
    redactor.register(new Map([[name, value]]));
    try {
      // Answers are JSON: they go out as such.
      return redactor.redact((await work({ ...asked, api_key: value } as A & LlmRequestedModel)) as Json) as T;
    } catch (fault) {
      if (!(fault instanceof AppError)) throw fault;
      throw new AppError(fault.type, redactor.redactText(fault.message), fault.data, { cause: fault });
    }
  }

  /** The models of a provider. @throws AppError */
  async list(asked: LlmRequestedModel, tenantId: string): Promise<ListedModel[]> {
    return this.#inTime(tenantId, async (world) => {
      const { access, ours } = opened(openProvider(asked, this.#capabilities.models.platform));
      const http = ours ? this.#toOurs : this.#egress;
      const listed = await listModels({ ...access, model: '' }, { http, now: world.now }, world.signal);
      return listed.map((model) => ({ ...model, provider: access.provider }));
    });
  }

  /** One prompt, one answer. @throws AppError */
  async answer(input: LlmInput, tenantId: string): Promise<PlaygroundAnswer> {
    opened(openProvider(input, this.#capabilities.models.platform));
    const outcome = await this.#inTime(tenantId, (world) => askModel(input, { ...world, redact: (text) => text }));
    if (outcome.kind === 'fail') throw modelFault({ ...outcome.error, retryAfterMs: outcome.retryAfterMs });
    if (outcome.kind !== 'done') throw new AppError('internal', 'A prompt came to neither an answer nor a fault');
    // The step type's own output.
    return outcome.output as unknown as PlaygroundAnswer;
  }

  /** Lends a model for as long as a request may take. @throws AppError */
  async lend<T>(asked: LlmRequestedModel, tenantId: string, work: (model: Model) => Promise<T>): Promise<T> {
    opened(openProvider(asked, this.#capabilities.models.platform));
    return this.#inTime(tenantId, async (world) => {
      const model = modelOf(asked, world);
      if (!isOutcome(model)) return work(model);
      throw new AppError('invalid_request', 'error' in model ? model.error.message : 'There is no such model');
    });
  }

  async #inTime<T>(tenantId: string, work: (world: ModelWorld) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const { requestTimeoutMs } = this.app.config;
    const cancel = this.app.clock.after(Math.max(requestTimeoutMs - WAY_BACK_MS, requestTimeoutMs / 2), () =>
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

/** @throws AppError unavailable when none is configured, invalid_request */
function opened<A>(result: LlmModelAccess<A>): { access: A; ours: boolean } {
  if (result.kind === 'open') return result;
  const { problem } = result;
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
  throw new AppError(result.kind === 'unconfigured' ? 'unavailable' : 'invalid_request', sentence);
}
