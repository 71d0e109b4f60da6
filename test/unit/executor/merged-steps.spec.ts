import { runAtOnce } from '../../../lib/time-slices';
import { mergedSteps } from '../../../services/executor/comparison/merged-steps';
import type { StepRow } from '../../../services/executor/step-rows';

/** Rows of these paths; those in parentheses have not begun. */
const rows = (paths: string): StepRow[] =>
  paths
    .split(' ')
    .map((path) => ({ path: path.replace(/[()]/g, ''), begun: path.startsWith('(') ? null : {} }) as StepRow);

/** The merged steps as `a`, `+b` for those of the second run alone, `-c` for those of the first alone. */
const merged = (a: string, b: string): string =>
  runAtOnce(mergedSteps(rows(a), rows(b)))
    .steps.map((step) => `${step.a === null ? '+' : step.b === null ? '-' : ''}${step.path}`)
    .join(' ');

it('matches steps by their paths, in the order of the first run', () => {
  expect(merged('a b c', 'a b c')).toBe('a b c');
  expect(merged('a b c', 'c a b')).toBe('a b c');
});

it('puts steps of the second run alone behind the step before them there', () => {
  expect(merged('a c', 'a b c d')).toBe('a +b c +d');
  expect(merged('a b', 'x y a b')).toBe('+x +y a b');
  expect(merged('a x c', 'a y c')).toBe('a +y -x c');
});

it('leaves out what has begun in neither run, and takes a step that has not begun as absent', () => {
  expect(merged('a (b) (c)', 'a b (c)')).toBe('a +b');
  expect(merged('(a)', '(a)')).toBe('');
});

it('counts the steps of one run alone, and knows the position of each', () => {
  const { steps, positions, onlyInA, onlyInB } = runAtOnce(mergedSteps(rows('a b x y'), rows('a z b')));
  expect([onlyInA, onlyInB]).toEqual([2, 1]);
  expect(steps.map(({ path }) => positions.get(path))).toEqual([0, 1, 2, 3, 4]);
});
