import { chartOf, limitText, sumRows } from '../../../console/src/model/usage';

const DAY = {
  date: '2026-11-21',
  running: 1,
  completed: 2,
  failed: 3,
  cancelled: 4,
  steps: 5,
  tokens: 6,
  cost_usd: 0.078,
};

it('draws each figure by day', () => {
  expect(chartOf([DAY], 'runs').bars).toEqual([{ label: '21 Nov', values: [2, 3, 4, 1] }]);
  const values = (['steps', 'tokens', 'cost'] as const).map((figure) => chartOf([DAY], figure).bars[0]?.values);
  expect(values).toEqual([[5], [6], [8]]);
});

it('puts limits and sums into words', () => {
  expect([limitText(null), limitText(12_000), limitText(1_024, true)]).toEqual(['No limit', '12K', '1.0 GiB']);
  const sums = { executions: { total: 1_200, failed: 3 }, steps: 5, tokens: 6, cost_usd: 0.5 };
  expect(sumRows(sums).map(([, text]) => text)).toEqual(['1,200', '3', '5', '6', '$0.50']);
});
