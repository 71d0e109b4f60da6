/** A prompt with its model, as the fields of a form. */
export interface PromptVariant {
  readonly provider: string;
  readonly model: string;
  readonly api_key: string;
  readonly base_url: string;
  readonly system: string;
  readonly prompt: string;
  readonly temperature: string;
  readonly max_tokens: string;
}

export const PROVIDERS = [
  { value: '', label: 'Default' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'google', label: 'Google' },
  { value: 'openai-compatible', label: 'Another server (OpenAI protocol)' },
] as const;

export const EMPTY_VARIANT: PromptVariant = {
  provider: '',
  model: '',
  api_key: '',
  base_url: '',
  system: '',
  prompt: '',
  temperature: '',
  max_tokens: '',
};

/** What makes a variant unusable, by its field. */
export type VariantFaults = Partial<Record<keyof PromptVariant, string>>;

/** The limits of the step type `llm`. */
export function faultsOf({ prompt, temperature, max_tokens: maxTokens }: PromptVariant): VariantFaults {
  const faults: Partial<Record<keyof PromptVariant, string>> = {};
  if (prompt.trim() === '') faults.prompt = 'Write a prompt';
  if (temperature !== '' && !(Number(temperature) >= 0 && Number(temperature) <= 2))
    faults.temperature = 'A number from 0 to 2';
  if (maxTokens !== '' && !(Number.isInteger(Number(maxTokens)) && Number(maxTokens) >= 1))
    faults.max_tokens = 'A whole number from 1';
  return faults;
}

/** The configuration of a step `llm`; fields that were left empty are absent. */
export function configOf(variant: PromptVariant): Record<string, string | number> {
  const config: Record<string, string | number> = {};
  for (const [field, text] of Object.entries(variant) as [keyof PromptVariant, string][]) {
    if (text.trim() === '') continue;
    config[field] = field === 'temperature' || field === 'max_tokens' ? Number(text) : text;
  }
  return config;
}

/** True for texts with expressions, which are evaluated before the model is asked. */
export const hasExpressions = ({ system, prompt }: PromptVariant): boolean => `${system}${prompt}`.includes('{{');

/** The text of an evaluated template, as a step sends it. */
export const renderedText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A workflow with the prompt as its only step. */
export const workflowOf = (variant: PromptVariant) => ({
  id: 'prompt',
  trigger: { type: 'manual' },
  steps: [{ id: 'answer', type: 'llm', config: configOf(variant) }],
});
