import { cutoffOf, longest } from '../../../services/executor/retention/rules';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 22);

test.each<[string, number | null, number | null, number | null]>([
  ['the plan says how long', 30, null, 30],
  ['the operator goes before the plan', 30, 90, 90],
  ['the operator may keep less than the plan', 180, 7, 7],
  ['a plan without an end keeps for ever', null, null, null],
  ['an operator who says 0 keeps for ever', 30, 0, null],
  ['a plan that says 0 keeps for ever', 0, null, null],
  ['an operator ends what a plan would keep for ever', null, 10, 10],
  ['nothing goes before deliveries may come again', 1, null, 4],
  ['whoever says so', 30, 2, 4],
])('%s', (_, plan, operator, days) => {
  expect(cutoffOf(NOW, plan, operator)).toBe(days === null ? null : NOW - days * DAY_MS);
});

test.each<[string, number | null, number | null, number | null]>([
  ['there is no grace', 30, 0, 30],
  ['the plan before kept more', 30, 180, 180],
  ['the plan before kept less', 400, 180, 400],
  ['the plan before kept for ever', 30, null, null],
  ['the plan keeps for ever', null, 180, null],
  ['the plan says 0, which is for ever', 0, 180, null],
])('%s', (_, plan, grace, days) => {
  expect(longest(plan, grace)).toBe(days);
});
