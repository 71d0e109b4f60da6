import { api, type PlaygroundAnswer } from '../../api/client';
import { configOf, hasExpressions, type PromptVariant, renderedText } from '../../model/playground';

/** The state of the last trial of a variant. */
export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered'; readonly answer: PlaygroundAnswer; readonly ms: number }
  | { readonly kind: 'failed'; readonly fault: unknown };

/** Asks the model, with the expressions of the prompt evaluated on `sample` as the trigger's data. Never rejects. */
export async function ask(variant: PromptVariant, sample: Record<string, unknown>): Promise<Outcome> {
  try {
    const rendered = hasExpressions(variant) ? await render(variant, sample) : variant;
    const began = performance.now();
    const answer = await api.ai.playground({ body: configOf(rendered) });
    return { kind: 'answered', answer, ms: Math.round(performance.now() - began) };
  } catch (fault) {
    return { kind: 'failed', fault };
  }
}

async function render(variant: PromptVariant, sample: Record<string, unknown>): Promise<PromptVariant> {
  const fields = ['system', 'prompt'] as const;
  const { results } = await api.executions.evaluate({
    body: {
      items: fields.map((field) => ({ template: variant[field] })),
      context: { sample: { trigger: sample } },
    },
  });
  const texts = fields.map((field, index) => {
    const result = results[index];
    if (result === undefined || result.error !== null)
      throw new Error(
        `The ${field === 'prompt' ? 'prompt' : 'system prompt'}: ${result?.error?.message ?? 'no result'}`,
      );
    if (result.truncated) throw new Error(`With these values the ${field} is too long for a trial here`);
    return renderedText(result.value);
  });
  return { ...variant, system: texts[0] ?? '', prompt: texts[1] ?? '' };
}
