import { type Golden, goldens } from './golden';
import { closeStage, play, type Played } from './stage';

afterAll(closeStage);

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** The results that do not depend on crashes: without times and numbers of attempts. */
function promised({ execution: { status, output, error, response }, steps }: Played): unknown {
  const all = { status, output, error, response, steps: steps.map(({ attempt: _, ...step }) => step) };
  return JSON.parse(JSON.stringify(all).replaceAll(INSTANT, 'an instant'));
}

/** The writes after which a crash happens: each, or so many of them, evenly spread. */
function crashPoints(writes: number, max = Number.POSITIVE_INFINITY): number[] {
  const all = Array.from({ length: writes }, (_, index) => index + 1);
  if (writes <= max) return all;
  return [...new Set(Array.from({ length: max }, (_, n) => 1 + Math.floor((n * (writes - 1)) / (max - 1))))];
}

function assertExpected({ expect: expected }: Golden, played: Played): void {
  const { status, output, error, response } = played.execution;
  expect(error === null ? null : { code: error.code, step_id: error.step_id }).toEqual(expected.error ?? null);
  expect(status).toBe(expected.status);
  if (expected.output !== undefined) expect(output).toEqual(expected.output);
  if (expected.response !== undefined) expect(response).toMatchObject(expected.response as object);
  const steps = expected.some
    ? expected.steps.map(({ path }) => played.steps.find((step) => step.path === path))
    : played.steps;
  expect(steps).toMatchObject(expected.steps as object[]);
  if (expected.seconds !== undefined) expect(played.seconds).toBe(expected.seconds);
  if (expected.calls !== undefined) expect(played.calls).toEqual(expected.calls);
}

describe.each(goldens)('$file: $title', (golden) => {
  let whole: Played;

  it('comes to what is promised', async () => {
    whole = await play(golden, null);
    assertExpected(golden, whole);
    expect(whole.repeats).toEqual([]);
  });

  it('comes to the same when its host dies after any of its records', async () => {
    for (const write of crashPoints(whole.writes, golden.crashes)) {
      const crashed = await play(golden, { write, when: 'after' });
      expect({ write, came: promised(crashed) }).toEqual({ write, came: promised(whole) });
      expect({ write, repeats: crashed.repeats }).toEqual({ write, repeats: [] });
    }
  });
});

test('there are forty of them', () => {
  expect(goldens.length).toBeGreaterThanOrEqual(40);
});
