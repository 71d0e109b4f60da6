import type { ConnectionView, OAuthAppView, OAuthPresetView } from '../api/client';
import { formatCount, formatDuration } from './format';
import type { Tone } from './status';

const LOOKS = {
  ok: { tone: 'ok', label: 'OK' },
  failing: { tone: 'warn', label: 'Failing' },
  reconnect: { tone: 'danger', label: 'Reconnect' },
} as const satisfies Record<ConnectionView['state'], { tone: Tone; label: string }>;

export const connectionLook = (state: ConnectionView['state']) => LOOKS[state];

/** What the list says about the end of a token. */
export function expiryOf({ kind, expires_at, state }: Pick<ConnectionView, 'kind' | 'expires_at' | 'state'>): string {
  if (kind === 'manual') return '';
  if (state === 'reconnect') return 'Ended';
  return expires_at === null ? 'Does not expire' : 'Renews itself';
}

/** The limits of a connection, such as `5 steps at a time, 100 in 1 min`. */
export function limitsText({ rate, concurrency }: ConnectionView['limits']): string {
  const steps = (count: number): string => `${formatCount(count)} ${count === 1 ? 'step' : 'steps'}`;
  const parts = [
    ...(concurrency === null ? [] : [`${steps(concurrency)} at a time`]),
    ...(rate === null ? [] : [`${steps(rate.limit)} in ${formatDuration(rate.period_seconds * 1_000)}`]),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

/** Whether a provider is for a connector. `any`: all are. */
export const isFor = (wanted: string, { connector }: { readonly connector: string | null }): boolean =>
  wanted === 'any' || connector === wanted;

/** Any account that was connected with an OAuth app. */
const ANY_OAUTH = 'oauth';

interface Provided {
  readonly connector: string | null;
}

/** Whether accounts of an OAuth app or of a built-in provider are for a step that accepts these connectors and providers. */
export const isAccepted = (accepts: readonly string[], { connector }: Provided): boolean =>
  accepts.includes(ANY_OAUTH) || (connector !== null && accepts.includes(connector));

/** Whether a connection is for a step that accepts these connectors and providers. */
export const fitsStep = (
  accepts: readonly string[],
  { connector, app_id: app }: Pick<ConnectionView, 'connector' | 'app_id'>,
): boolean => accepts.includes(connector) || (app !== null && accepts.includes(ANY_OAUTH));

/** The presets whose title or connector has all words of a search. */
export function presetsMatching(presets: readonly OAuthPresetView[], search: string): readonly OAuthPresetView[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return presets.filter(({ id, title, connector }) => {
    const text = `${id} ${title} ${connector ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Names that are separated by blanks, commas or line breaks. */
export const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The provider of an app for people. */
export const providerOf = ({ preset, authorize_url }: OAuthAppView, presets: readonly OAuthPresetView[]): string =>
  presets.find(({ id }) => id === preset)?.title ?? (URL.canParse(authorize_url) ? new URL(authorize_url).host : '');
