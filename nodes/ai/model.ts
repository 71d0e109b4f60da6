import {
  complete,
  costOf,
  embed,
  listedAs,
  type LlmAccess,
  type LlmAnswer,
  type LlmRequestedModel,
  LlmError,
  type LlmRequest,
  openModel,
} from '../../lib/llm';
import type { NodeContext, NodeCapabilities, Outcome } from '../contract';
import { invalidConfig } from '../outcome';
import type { UsageTotals } from './usage';

/** A model that a step can call repeatedly. */
export interface Model {
  readonly access: LlmAccess;
  /** `onText` gets the text as it arrives. @throws LlmError */
  ask(
    request: Omit<LlmRequest, 'signal'>,
    onText?: (text: string) => void,
  ): Promise<{ answer: LlmAnswer; spent: UsageTotals }>;
  /** @throws LlmError */
  embed(texts: readonly string[]): Promise<{ embeddings: readonly number[][]; spent: UsageTotals }>;
  /** True if costs are known. */
  readonly priced: boolean;
}

/** What asking a model takes of the outside. */
export interface ModelContext extends Pick<NodeContext, 'http' | 'now' | 'signal'> {
  readonly capabilities: Pick<NodeCapabilities, 'models' | 'compute'>;
}

/** The model for the input of a step, or the reason why there is none. */
export function modelOf(asked: LlmRequestedModel, { http, capabilities, now, signal }: ModelContext): Model | Outcome {
  const { platform, prices, http: toOurs, onSpent } = capabilities.models;
  const opened = openModel(asked, platform);
  if (opened.kind !== 'open') return invalidConfig(opened.problem);
  const { access, ours } = opened;
  const world = { http: ours ? toOurs : http, web: http, now };
  const spentFor = (inputTokens: number, outputTokens: number, cachedTokens: number): UsageTotals => {
    const spent = spentOn(inputTokens, outputTokens, cachedTokens);
    const { provider } = access;
    onSpent?.({ provider, listedAs: listedAs(prices, access), inputTokens, outputTokens, costUsd: spent.cost_usd });
    return spent;
  };
  const spentOn = (inputTokens: number, outputTokens: number, cachedTokens: number): UsageTotals => ({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costOf(prices, access, { inputTokens, outputTokens, cachedTokens }, now),
  });
  return {
    access,
    async ask(request, onText) {
      const answer = await complete(access, { ...request, signal }, world, onText);
      const { inputTokens, outputTokens, cachedTokens } = answer.tokens;
      return { answer, spent: spentFor(inputTokens, outputTokens, cachedTokens) };
    },
    async embed(texts) {
      const { embeddings, inputTokens } = await embed(access, texts, world, signal);
      return { embeddings, spent: spentFor(inputTokens, 0, 0) };
    },
    priced: spentOn(1, 1, 0).cost_usd !== null,
  };
}

/** True for what `modelOf` answers when there is no model. */
export const isOutcome = (answer: Model | Outcome): answer is Outcome => 'kind' in answer;

/** The outcome for an error of a provider. @throws any other error */
export function failureOf(fault: unknown, mask: (text: string) => string): Outcome {
  if (!(fault instanceof LlmError)) throw fault;
  const { code, message, retryable, retryAfterMs } = fault;
  return {
    kind: 'fail',
    error: { code, message: mask(message) },
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
