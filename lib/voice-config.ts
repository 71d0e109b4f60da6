/** The installation's access to the provider of voice rooms. */
export interface VoiceConfig {
  /** Who signs events: the name of the secret. */
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** What has to be set for events of voice rooms. */
export const VOICE_VARIABLES = ['VOICE_PROVIDER_API_KEY', 'VOICE_PROVIDER_API_SECRET'] as const;

/** VOICE_PROVIDER_* of an environment; null without them. Faults are added to the list, without secrets. */
export function readVoice(text: (name: string) => string | null, faults: string[]): VoiceConfig | null {
  const apiKey = text('VOICE_PROVIDER_API_KEY');
  const apiSecret = text('VOICE_PROVIDER_API_SECRET');
  if (apiKey !== null && apiSecret !== null) return { apiKey, apiSecret };
  if (apiKey !== null || apiSecret !== null)
    faults.push(`${VOICE_VARIABLES.join(' and ')} go together; set both or none`);
  return null;
}
