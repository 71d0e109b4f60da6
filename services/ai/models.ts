import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import {
  type LlmAsked,
  type LlmDoor,
  LlmError,
  listModels,
  loadPrices,
  openProvider,
  platformRules,
} from '../../lib/llm';
import { countModels } from '../../lib/metrics';
import { resolveSecret } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import { type LlmInput, askModel } from '../../nodes/ai/llm/run';
import { type Model, isOutcome, modelOf, type ModelWorld } from '../../nodes/ai/model';
import type { App } from '../app';
import type { ActionName } from '../catalogue';
import type { ListedModel, ModelAsked, PlaygroundAnswer } from './contract';
import { modelFault } from './faults';

/** Time that an answer needs on its way back. */
const WAY_BACK_MS = 3_000;

type Caller = Pick<ActionContext<ActionName>, 'call' | 'tenantId'>;

/** Models as people ask them by hand: guarded as steps are, in the time that a request has. */
export class Models {
  readonly #egress: Egress;
  readonly #toOurs: Egress;
  readonly #means: ModelWorld['means'];

  constructor(private readonly app: App) {
    const { egressAllow, llm } = app.config;
    const allow = parseEgressAllow(egressAllow);
    this.#egress = createEgress({ allow });
    this.#toOurs = createEgress({ allow: [...allow, ...platformRules(llm)] });
    this.#means = {
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

  /** What was asked, with the value of a secret in place of its name. @throws AppError unknown_secret */
  async resolved<A extends ModelAsked>(asked: A, caller: Caller): Promise<A & LlmAsked> {
    // The provider is one of those that there are: the params were checked.
    if (asked.api_key === undefined) return asked as A & LlmAsked;
    return { ...asked, api_key: await resolveSecret(asked.api_key, caller) } as A & LlmAsked;
  }

  /** The models of a provider. @throws AppError */
  async list(asked: LlmAsked): Promise<ListedModel[]> {
    return this.#inTime(async (world) => {
      const { access, ours } = opened(openProvider(asked, this.#means.models.platform));
      const http = ours ? this.#toOurs : this.#egress;
      const listed = await listModels({ ...access, model: '' }, { http, now: world.now }, world.signal);
      return listed.map((model) => ({ ...model, provider: access.provider }));
    });
  }

  /** One prompt, one answer. @throws AppError */
  async answer(input: LlmInput): Promise<PlaygroundAnswer> {
    opened(openProvider(input, this.#means.models.platform));
    const outcome = await this.#inTime((world) => askModel(input, { ...world, mask: (text) => text }));
    if (outcome.kind === 'fail') throw modelFault({ ...outcome.error, retryAfterMs: outcome.retryAfterMs });
    if (outcome.kind !== 'done') throw new AppError('internal', 'A prompt came to neither an answer nor a fault');
    // The step type's own output.
    return outcome.output as unknown as PlaygroundAnswer;
  }

  /** Lends a model for as long as a request may take. @throws AppError */
  async lend<T>(asked: LlmAsked, work: (model: Model) => Promise<T>): Promise<T> {
    opened(openProvider(asked, this.#means.models.platform));
    return this.#inTime(async (world) => {
      const model = modelOf(asked, world);
      if (!isOutcome(model)) return work(model);
      throw new AppError('invalid_request', 'error' in model ? model.error.message : 'There is no such model');
    });
  }

  async #inTime<T>(work: (world: ModelWorld) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const { requestTimeoutMs } = this.app.config;
    const cancel = this.app.clock.after(Math.max(requestTimeoutMs - WAY_BACK_MS, requestTimeoutMs / 2), () =>
      stop.abort(),
    );
    try {
      return await work({ http: this.#egress, means: this.#means, now: this.app.clock.now(), signal: stop.signal });
    } catch (fault) {
      throw fault instanceof LlmError ? modelFault(fault) : fault;
    } finally {
      cancel();
    }
  }
}

/** @throws AppError unavailable when nobody has configured one, invalid_request */
function opened<A>(door: LlmDoor<A>): { access: A; ours: boolean } {
  if (door.kind === 'open') return door;
  const { problem } = door;
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
  throw new AppError(door.kind === 'unconfigured' ? 'unavailable' : 'invalid_request', sentence);
}
