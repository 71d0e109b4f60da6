/** The installation's account at the provider of voice rooms. */
export interface VoiceConfig {
  /** Id of the secret that signs events. */
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Required variables of voice rooms. */
export const VOICE_VARIABLES = ['VOICE_PROVIDER_API_KEY', 'VOICE_PROVIDER_API_SECRET'] as const;

/** VOICE_PROVIDER_* of an environment; null without them. Faults are added to the list, without secrets. */
export function readVoice(text: (name: string) => string | null, faults: string[]): VoiceConfig | null {
  const apiKey = text('VOICE_PROVIDER_API_KEY');
  const apiSecret = text('VOICE_PROVIDER_API_SECRET');
  if (apiKey !== null && apiSecret !== null) return { apiKey, apiSecret };
  if (apiKey !== null || apiSecret !== null)
    faults.push(`${VOICE_VARIABLES.join(' and ')} must both be set, or neither`);
  return null;
}
