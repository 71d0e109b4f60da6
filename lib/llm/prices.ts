import { readFileSync } from 'node:fs';
import { ConfigError } from '../config';
import { errorMessage } from '../errors';
import { isObject } from '../json';
import { addUsd } from '../usd';
import list from './prices.json';
import type { LlmTokens } from './types';

/** Price of a model, in USD per million tokens. */
export interface Price {
  readonly provider: string;
  /** Model names; `*` matches any characters. */
  readonly models: readonly string[];
  /** First day of validity, in UTC. */
  readonly since: string;
  /** Applies to requests with more input tokens than this. */
  readonly over?: number;
  readonly input: number;
  /** For cached input; absent: as `input`. */
  readonly cached_input?: number;
  readonly output: number;
}

/** The list prices of this version; operators can override them. */
export const DEFAULT_PRICES: readonly Price[] = list.prices;

/**
 * Cost of a request in USD; null when no price is known. The most specific name applies, then the highest `over`, then
 * the newest; of equal ones the first.
 */
export function costOf(
  prices: readonly Price[],
  { provider, model }: { readonly provider: string; readonly model: string },
  tokens: LlmTokens,
  now: number,
): number | null {
  const [best] = prices
    .filter((price) => price.provider === provider && Date.parse(price.since) <= now)
    .filter((price) => tokens.inputTokens > (price.over ?? -1))
    .map((price) => ({ price, exactness: exactnessOf(price, model) }))
    .filter(({ exactness }) => exactness >= 0)
    .sort(
      (a, b) =>
        b.exactness - a.exactness ||
        (b.price.over ?? 0) - (a.price.over ?? 0) ||
        b.price.since.localeCompare(a.price.since),
    );
  if (best === undefined) return null;
  const { input, output, cached_input: cached = input } = best.price;
  const fresh = tokens.inputTokens - tokens.cachedTokens;
  const micros = fresh * input + tokens.cachedTokens * cached + tokens.outputTokens * output;
  return addUsd(0, micros / 1e6);
}

/** The name or pattern of a model in the price list; null without one. The set of results is finite. */
export function listedAs(
  prices: readonly Price[],
  { provider, model }: { readonly provider: string; readonly model: string },
): string | null {
  const patterns = prices.filter((price) => price.provider === provider).flatMap(({ models }) => models);
  const fitting = patterns.filter((pattern) => fits(pattern, model));
  return fitting.sort((a, b) => exactness(b) - exactness(a))[0] ?? null;
}

/** Number of literal characters in the best matching pattern; -1 without a match. */
function exactnessOf({ models }: Price, model: string): number {
  const fitting = models.filter((pattern) => fits(pattern, model));
  return Math.max(-1, ...fitting.map(exactness));
}

const exactness = (pattern: string): number => (pattern.includes('*') ? pattern.length - 1 : pattern.length + 1);

function fits(pattern: string, model: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === model;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return model.length >= head.length + tail.length && model.startsWith(head) && model.endsWith(tail);
}

/**
 * The prices of a JSON file (`{"prices": [...]}`, as the one beside this module), followed by this version's.
 * @throws ConfigError naming every fault of the file
 */
export function loadPrices(path: string | null): readonly Price[] {
  if (path === null) return DEFAULT_PRICES;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`LLM_PRICES_FILE ${path} cannot be read: ${errorMessage(error)}`]);
  }
  return [...readPrices(content, path), ...DEFAULT_PRICES];
}

/** Parses a price list. Pure. @throws ConfigError */
export function readPrices(content: unknown, source: string): readonly Price[] {
  const prices: unknown = isObject(content) ? content.prices : undefined;
  if (!Array.isArray(prices)) {
    throw new ConfigError([`LLM_PRICES_FILE ${source} must hold an object such as {"prices": [...]}`]);
  }
  const faults = prices.flatMap((price: unknown, index) =>
    faultsOf(price).map((fault) => `LLM_PRICES_FILE ${source}: prices[${index}]${fault}`),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return prices as Price[];
}

const NUMBERS = ['input', 'output', 'cached_input', 'over'] as const;
const OPTIONAL: ReadonlySet<string> = new Set(['cached_input', 'over']);

function faultsOf(price: unknown): string[] {
  if (!isObject(price)) return [' must be an object'];
  const known = ['provider', 'models', 'since', ...NUMBERS];
  const { models, since } = price;
  return [
    ...Object.keys(price)
      .filter((key) => !known.includes(key))
      .map((key) => `.${key} is unknown; allowed are ${known.join(', ')}`),
    ...(typeof price.provider === 'string' ? [] : ['.provider must be a text']),
    ...(Array.isArray(models) && models.length > 0 && models.every(isPattern)
      ? []
      : ['.models must be a list of names with one * at most']),
    ...(typeof since === 'string' && /^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since))
      ? []
      : ['.since must be a day such as 2025-08-07']),
    ...NUMBERS.filter((key) => !(price[key] === undefined && OPTIONAL.has(key)))
      .filter((key) => !(typeof price[key] === 'number' && price[key] >= 0))
      .map((key) => `.${key} must be a number from 0`),
  ];
}

const isPattern = (name: unknown): boolean => typeof name === 'string' && name !== '' && name.split('*').length <= 2;
