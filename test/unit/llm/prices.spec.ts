import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../lib/config';
import { costOf, loadPrices, type Price } from '../../../lib/llm';
import { DEFAULT_PRICES, readPrices } from '../../../lib/llm/prices';

const NOW = Date.UTC(2026, 5, 1);
const tokens = (inputTokens: number, outputTokens = 0, cachedTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
});
const price = (fields: Partial<Price>): Price => ({
  provider: 'p',
  models: ['m'],
  since: '2026-01-01',
  input: 1,
  output: 2,
  ...fields,
});

describe('costOf', () => {
  test('counts input, cached input and output, each at its price', () => {
    const prices = [price({ input: 3, cached_input: 0.3, output: 15 })];
    expect(costOf(prices, { provider: 'p', model: 'm' }, tokens(1_000_000, 100_000, 400_000), NOW)).toBe(3.42);
  });

  test('cached input costs as much as input by default', () => {
    expect(costOf([price({ input: 3 })], { provider: 'p', model: 'm' }, tokens(1_000_000, 0, 500_000), NOW)).toBe(3);
  });

  test.each([
    ['another provider', { provider: 'q', model: 'm' }],
    ['another model', { provider: 'p', model: 'm2' }],
  ])('is null for %s', (_title, what) => {
    expect(costOf([price({})], what, tokens(1), NOW)).toBeNull();
  });

  test.each([
    ['gpt-x', 1],
    ['gpt-x-2026-01-01', 2],
    ['gpt-x-mini-2026-01-01', 3],
    ['gpt-x-mini', 4],
    ['other-gpt-x', null],
  ])('the most exact name counts: %s', (model, input) => {
    const prices = [
      price({ models: ['gpt-x*'], input: 2 }),
      price({ models: ['gpt-x'], input: 1 }),
      price({ models: ['gpt-x-mini*'], input: 3 }),
      price({ models: ['nothing', 'gpt-x-mini'], input: 4 }),
    ];
    expect(costOf(prices, { provider: 'p', model }, tokens(1_000_000), NOW)).toBe(input);
  });

  test('the newest valid price is used', () => {
    const prices = [
      price({ since: '2026-07-01', input: 9 }),
      price({ since: '2025-01-01', input: 5 }),
      price({ since: '2026-03-01', input: 7 }),
    ];
    expect(costOf(prices, { provider: 'p', model: 'm' }, tokens(1_000_000), NOW)).toBe(7);
    expect(costOf(prices, { provider: 'p', model: 'm' }, tokens(1_000_000), Date.UTC(2024, 0, 1))).toBeNull();
  });

  test('long requests may cost more', () => {
    const prices = [price({ input: 1 }), price({ input: 2, over: 200_000 })];
    expect(costOf(prices, { provider: 'p', model: 'm' }, tokens(200_000), NOW)).toBe(0.2);
    expect(costOf(prices, { provider: 'p', model: 'm' }, tokens(200_001), NOW)).toBeCloseTo(0.400002, 8);
  });
});

describe('the list that comes along', () => {
  test('has the form that operators must keep', () => {
    expect(readPrices({ prices: DEFAULT_PRICES }, 'the list')).toHaveLength(DEFAULT_PRICES.length);
  });

  test.each([
    ['openai', 'gpt-4o-mini-2024-07-18', 0.15],
    ['openai', 'gpt-4o', 2.5],
    ['openai', 'gpt-4o-audio-preview', null],
    ['anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['anthropic', 'claude-opus-4-5', 5],
    ['anthropic', 'claude-opus-4-1-20250805', 15],
    ['google', 'gemini-2.5-flash', 0.3],
    ['openai-compatible', 'gpt-4o', null],
  ])('%s %s', (provider, model, usd) => {
    expect(costOf(DEFAULT_PRICES, { provider, model }, tokens(100_000), NOW)).toBe(usd === null ? null : usd / 10);
  });
});

describe('LLM_PRICES_FILE', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'everstep-prices-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const load = (content: string) => {
    const path = join(dir, 'prices.json');
    writeFileSync(path, content);
    return loadPrices(path);
  };

  test('its prices go before ours, and ours stay', () => {
    const ours = { provider: 'openai', models: ['gpt-4o'], since: '2026-01-01', input: 1, output: 1 };
    const prices = load(JSON.stringify({ prices: [ours] }));
    expect(costOf(prices, { provider: 'openai', model: 'gpt-4o' }, tokens(1_000_000), NOW)).toBe(1);
    expect(costOf(prices, { provider: 'openai', model: 'gpt-4o-mini' }, tokens(1_000_000), NOW)).toBe(0.15);
  });

  test.each([
    ['no JSON', '{', 'cannot be read'],
    ['no list', '[]', '{"prices": [...]}'],
    [
      'an unknown key',
      '{"prices":[{"provider":"p","models":["m"],"since":"2026-01-01","input":1,"output":1,"inptu":1}]}',
      'inptu',
    ],
    ['two stars', '{"prices":[{"provider":"p","models":["*m*"],"since":"2026-01-01","input":1,"output":1}]}', 'models'],
    ['no day', '{"prices":[{"provider":"p","models":["m"],"since":"2026-13-01","input":1,"output":1}]}', 'since'],
    [
      'a negative price',
      '{"prices":[{"provider":"p","models":["m"],"since":"2026-01-01","input":-1,"output":1}]}',
      'input',
    ],
    ['no output', '{"prices":[{"provider":"p","models":["m"],"since":"2026-01-01","input":1}]}', 'output'],
  ])('refuses %s with what is wrong', (_title, content, word) => {
    expect(() => load(content)).toThrow(ConfigError);
    expect(() => load(content)).toThrow(word);
  });
});
