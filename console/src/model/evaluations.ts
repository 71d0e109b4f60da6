import type { Tone } from './status';

const MAX_SHOWN_CHARS = 300;

/** A value as JSON in one line; a text as it is. Cut where it is long. */
export function shortJson(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

/** The JSON of a text; a text that is none stands for itself, unless it was meant as JSON. @throws Error */
export function parsedValue(label: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (!/^\s*[[{"]/.test(text)) return text;
    throw new Error(`${label} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Tags between commas. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** A score from 0 to 1 as a percentage; a dash for none. */
export const formatScore = (score: number | null): string =>
  score === null ? '–' : `${Number((score * 100).toFixed(1))}%`;

/** A difference of scores in points, with its sign. */
export function formatDifference(difference: number): string {
  const points = Number((difference * 100).toFixed(1));
  return `${points > 0 ? '+' : ''}${points}`;
}

/** A p value. */
export const formatP = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3));

export const toneOfScore = (score: number | null): Tone =>
  score === null ? 'neutral' : score >= 0.9 ? 'ok' : score >= 0.6 ? 'warn' : 'danger';

interface Outcome {
  readonly status: string;
  readonly passed: boolean | null;
}

/** The status of an evaluation, with its gates: icon and word. */
export function outcomeOf({ status, passed }: Outcome): { readonly status: string; readonly label?: string } {
  if (status === 'completed' && passed === true) return { status: 'completed', label: 'Passed' };
  if (status === 'completed' && passed === false) return { status: 'failed', label: 'Gates failed' };
  if (status === 'budget_exceeded') return { status: 'cancelled', label: 'Budget used up' };
  return { status };
}

export const isActive = ({ status }: Pick<Outcome, 'status'>): boolean => status === 'queued' || status === 'running';
