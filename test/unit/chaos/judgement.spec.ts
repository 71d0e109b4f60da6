import type { Entry } from '../../../runtime/core/entries/entry';
import { nextAct } from '../../chaos/acts';
import { Chance } from '../../chaos/chance';
import { historyFaults, ledgerFaults, type StoredRecord } from '../../cluster/support/records';
import type { Arrival } from '../../support/ledger';

const completed = (path: string, at: number): Entry => ({
  kind: 'step.completed',
  path,
  attempt: 1,
  at,
  started: at - 5,
  output: {},
});
const ending: Entry = { kind: 'run.ended', at: 900, status: 'completed', output: null, error: null };

/** Records with right numbers, one for each list of entries. */
function history(...lists: Entry[][]): StoredRecord[] {
  let before = 0;
  return lists.map((entries, index) => {
    const record = { n: index + 1, epoch: 1, before, entries };
    before += entries.length;
    return record;
  });
}

const good = history([completed('one', 100)], [completed('two', 200), ending]);

describe('the check of histories', () => {
  it('finds nothing in a history as it must be', () => expect(historyFaults(good)).toEqual([]));

  const [first, second] = good as [StoredRecord, StoredRecord];
  it.each<[string, StoredRecord[], RegExp]>([
    ['a gap', [first, { ...second, n: 3 }], /record 3 stands where 2 is due/],
    ['entries that do not add up', [first, { ...second, before: 2 }], /counts 2 entries before it, not 1/],
    ['a record of an older claim', [{ ...first, epoch: 2 }, second], /older claim/],
    ['a step that is completed twice', history([completed('one', 1)], [completed('one', 2), ending]), /one .* twice/],
    ['no end', history([completed('one', 1)]), /0 ends/],
    ['something after the end', history([ending], [completed('one', 1)]), /the last is step.completed/],
    ['two ends', history([ending], [ending]), /2 ends/],
  ])('finds %s', (_what, records, words) => expect(historyFaults(records).join()).toMatch(words));
});

describe('the judge of effects', () => {
  const arrival = (step: string, at: number, key = 'k'): Arrival => ({ run: 'r', step, key, at });
  const faults = (...arrivals: Arrival[]): string[] => {
    const of = (_run: string, step?: string): Arrival[] => arrivals.filter((one) => (step ?? one.step) === one.step);
    return ledgerFaults({ of }, 'r', good);
  };

  it('allows an effect again while no record says that it is done', () =>
    expect(faults(arrival('one', 50), arrival('one', 90))).toEqual([]));

  it('finds an effect that came again after its record', () =>
    expect(faults(arrival('one', 90), arrival('one', 101)).join()).toMatch(/one ran again 1 ms after its record/));

  it('finds an effect whose key has changed', () =>
    expect(faults(arrival('one', 80), arrival('one', 90, 'other')).join()).toMatch(/different keys/));
});

describe('chance', () => {
  const acts = (seed: number, executors = 3) => {
    const chance = new Chance(seed);
    return Array.from({ length: 200 }, () => nextAct(chance, { executors, max: 4 }));
  };

  it('does the same by the same seed, and something else by another', () => {
    expect(acts(1)).toEqual(acts(1));
    expect(acts(1)).not.toEqual(acts(2));
  });

  it('does every act, but adds no executor at the maximum', () => {
    const kinds = (executors: number) => new Set(acts(1, executors).map(({ act }) => `${act.kind} ${act.what}`));
    expect(kinds(3).size).toBe(12);
    expect(kinds(4)).toEqual(new Set([...kinds(3)].filter((kind) => kind !== 'add executor')));
  });
});
