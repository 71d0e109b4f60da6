import { cutoffOf, longest } from '../../../services/executor/retention/rules';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 22);

test.each<[string, number | null, number | null, number | null]>([
  ['the plan sets the retention', 30, null, 30],
  ['the setting overrides the plan', 30, 90, 90],
  ['the setting may be lower than the plan', 180, 7, 7],
  ['a plan without a limit keeps runs permanently', null, null, null],
  ['the setting 0 keeps runs permanently', 30, 0, null],
  ['a plan with 0 keeps runs permanently', 0, null, null],
  ['the setting limits a plan without a limit', null, 10, 10],
  ['the minimum is four days, because deliveries may be repeated', 1, null, 4],
  ['the setting cannot go below this minimum', 30, 2, 4],
])('%s', (_, plan, operator, days) => {
  expect(cutoffOf(NOW, plan, operator)).toBe(days === null ? null : NOW - days * DAY_MS);
});

test.each<[string, number | null, number | null, number | null]>([
  ['there is no grace period', 30, 0, 30],
  ['the previous plan kept more', 30, 180, 180],
  ['the previous plan kept less', 400, 180, 400],
  ['the previous plan had no limit', 30, null, null],
  ['the plan has no limit', null, 180, null],
  ['the plan has 0, which is no limit', 0, 180, null],
])('%s', (_, plan, grace, days) => {
  expect(longest(plan, grace)).toBe(days);
});
