import { EverstepError } from '../api/client';
import { Notice } from '../ui';

/** Why a language model did not answer; without a configured one, what the operator of the server has to do. */
export function ModelFault({ fault }: { readonly fault: unknown }) {
  const text = fault instanceof Error ? fault.message : String(fault);
  const isMissing = fault instanceof EverstepError && fault.code === 'provider_not_configured';
  return (
    <Notice tone={isMissing ? 'info' : 'danger'}>
      {isMissing ? (
        <>
          <strong>No language model is configured.</strong> The operator of the server sets LLM_ANTHROPIC_API_KEY or
          LLM_OPENAI_API_KEY, or LLM_OPENAI_COMPATIBLE_BASE_URL for a model of your own, and starts it again.
        </>
      ) : (
        text
      )}
    </Notice>
  );
}
