import type { Entry } from '../../../../runtime/core/entries/entry';
import { replay } from '../../../../runtime/core/state/fold';
import { Bench, bench, durable, outputsOf } from '../../../support/runtime/bench';
import { endOf, STORIES, type Story } from '../../../support/runtime/stories';

const begin = ({ steps, rest, word }: Story): Bench => bench(steps, rest, {}, word);

/** Steps that settled more often than once. */
function settledTwice(entries: readonly Entry[]): string[] {
  const settled = entries.flatMap((entry) =>
    entry.kind === 'step.completed' ||
    entry.kind === 'step.skipped' ||
    entry.kind === 'step.cancelled' ||
    (entry.kind === 'step.failed' && entry.retryAt === null)
      ? [entry.path]
      : [],
  );
  return settled.filter((path, index) => settled.indexOf(path) !== index);
}

describe.each(STORIES)('$title', (story) => {
  const whole = begin(story).play(story.script);

  it('ends, with no step in progress', () => {
    expect(settledTwice(whole.entries)).toEqual([]);
    expect([whole.state.open.size, whole.flights.size]).toEqual([0, 0]);
    expect(whole.entries.filter(({ kind }) => kind === 'run.ended')).toHaveLength(1);
    expect(whole.entries.length).toBeGreaterThan(5);
  });

  it('folds to the same state, at every decision', () => {
    const run = begin(story);
    const tell = run.tell.bind(run);
    run.tell = (event) => {
      const entries = tell(event);
      expect(durable(replay(run.entries))).toEqual(durable(run.state));
      return entries;
    };
    run.play(story.script);
  });

  it('has the same end from every decision on, without repeating completed steps', () => {
    for (let decisions = 0; decisions <= whole.decisions.length; decisions++) {
      const next = Bench.after(whole, decisions);
      const before = new Set(Object.keys(outputsOf(next)));
      next.sent.push(...whole.sent.filter(({ at }) => at < next.now));
      next.play(story.script);
      expect({ decisions, ...endOf(next) }).toEqual({ decisions, ...endOf(whole) });
      expect({
        decisions,
        again: next.launched.filter((each) => each.kind === 'run' && before.has(each.path)),
      }).toEqual({
        decisions,
        again: [],
      });
      expect({ decisions, twice: settledTwice(next.entries) }).toEqual({ decisions, twice: [] });
    }
  });
});
