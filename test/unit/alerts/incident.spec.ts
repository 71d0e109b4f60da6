import fc from 'fast-check';
import {
  type Incident,
  NO_INCIDENT,
  nextNoticeAt,
  type Notice,
  type Observation,
  step,
} from '../../../services/alerts/rules/incident';

const MINUTE = 60_000;
const QUIET = 30 * MINUTE;
const policy = { quietMs: QUIET, mutedUntil: null };
const holds = (count = 1): Observation => ({
  kind: 'holds',
  since: 0,
  opens: count,
  adds: count,
  runs: [`r${count}`],
  detail: 'it holds',
});
const CLEAR: Observation = { kind: 'clear' };
const STILL: Observation = { kind: 'still' };

/** The notices of observations at times. */
function notices(seen: readonly (readonly [number, Observation])[], mutedUntil: number | null = null): Notice[] {
  let incident: Incident = NO_INCIDENT;
  return seen.flatMap(([now, observation]) => {
    const next = step(incident, observation, now, { quietMs: QUIET, mutedUntil });
    incident = next.incident;
    return next.notices;
  });
}
const kinds = (given: readonly Notice[]): string[] => given.map(({ kind }) => kind);

describe('an incident', () => {
  it('is notified when it opens, and later failures are counted into it without a notice', () => {
    const given = notices([
      [0, holds(3)],
      [MINUTE, holds()],
      [2 * MINUTE, holds()],
      [3 * MINUTE, CLEAR],
    ]);
    expect(kinds(given)).toEqual(['opened', 'recovered']);
    expect(given.map(({ count, number, seq }) => [count, number, seq])).toEqual([
      [3, 1, 1],
      [5, 1, 2],
    ]);
  });

  it('is notified again after each quiet period while it holds, also when nothing more happens', () => {
    const given = notices([
      [0, holds()],
      [QUIET - 1, STILL],
      [QUIET, STILL],
      [QUIET + 1, holds()],
      [2 * QUIET, STILL],
    ]);
    expect(given.map(({ kind, at }) => [kind, at])).toEqual([
      ['opened', 0],
      ['reminder', QUIET],
      ['reminder', 2 * QUIET],
    ]);
  });

  it('goes on when the condition holds again within the quiet period, and is notified when that is over', () => {
    const given = notices([
      [0, holds()],
      [MINUTE, CLEAR],
      [2 * MINUTE, holds()],
      [3 * MINUTE, CLEAR],
      [4 * MINUTE, holds()],
      [MINUTE + QUIET, STILL],
      [2 * QUIET, CLEAR],
    ]);
    expect(given.map(({ kind, number, count }) => [kind, number, count])).toEqual([
      ['opened', 1, 1],
      ['recovered', 1, 1],
      ['opened', 1, 3],
      ['recovered', 1, 3],
    ]);
  });

  it('is another one when the condition holds again later', () => {
    const given = notices([
      [0, holds()],
      [MINUTE, CLEAR],
      [MINUTE + QUIET, holds()],
    ]);
    expect(given.map(({ kind, number }) => [kind, number])).toEqual([
      ['opened', 1],
      ['recovered', 1],
      ['opened', 2],
    ]);
  });

  it('is not notified while muted; if it still holds afterwards, then', () => {
    expect(
      notices(
        [
          [0, holds()],
          [MINUTE, CLEAR],
        ],
        10 * MINUTE,
      ),
    ).toEqual([]);
    expect(
      kinds(
        notices(
          [
            [0, holds()],
            [10 * MINUTE, STILL],
          ],
          10 * MINUTE,
        ),
      ),
    ).toEqual(['opened']);
  });

  it('says when it next has something to tell', () => {
    expect(nextNoticeAt(NO_INCIDENT, policy)).toBeNull();
    const { incident } = step(NO_INCIDENT, holds(), 5, policy);
    expect(nextNoticeAt(incident, policy)).toBe(5 + QUIET);
    expect(nextNoticeAt(incident, { ...policy, mutedUntil: 2 * QUIET })).toBe(2 * QUIET);
    expect(nextNoticeAt(step(incident, CLEAR, 6, policy).incident, policy)).toBeNull();
  });
});

describe('whatever is observed', () => {
  const observation = fc.oneof(
    fc.constant(CLEAR),
    fc.constant(STILL),
    fc.integer({ min: 1, max: 9 }).map((count) => holds(count)),
  );
  const sequence = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 * QUIET }), observation), { maxLength: 60 });
  const timed = (gaps: readonly (readonly [number, Observation])[]): [number, Observation][] => {
    let now = 0;
    return gaps.map(([gap, seen]) => [(now += gap), seen]);
  };

  it('an incident opens once until it is over, and is over once until it opens', () => {
    fc.assert(
      fc.property(sequence, (gaps) => {
        let open = false;
        for (const { kind } of notices(timed(gaps))) {
          expect(kind === 'opened').toBe(!open);
          if (kind === 'opened') open = true;
          if (kind === 'recovered') open = false;
        }
      }),
    );
  });

  it('notices are a quiet period apart, save those of ends, and are numbered without gaps', () => {
    fc.assert(
      fc.property(sequence, (gaps) => {
        const given = notices(timed(gaps));
        for (const [index, notice] of given.entries()) {
          const before = given[index - 1];
          if (before === undefined) continue;
          if (notice.kind !== 'recovered') expect(notice.at - before.at).toBeGreaterThanOrEqual(QUIET);
          if (notice.number === before.number) expect(notice.seq).toBe(before.seq + 1);
          else expect([notice.number, notice.seq]).toEqual([before.number + 1, 1]);
        }
      }),
    );
  });

  it('a condition that holds is notified within a quiet period, if it is looked at when it says', () => {
    fc.assert(
      fc.property(sequence, (gaps) => {
        let incident: Incident = NO_INCIDENT;
        let lastNotice = -Infinity;
        let now = 0;
        for (const [gap, seen] of gaps) {
          const end = now + gap;
          for (
            let due = nextNoticeAt(incident, policy);
            due !== null && due <= end;
            due = nextNoticeAt(incident, policy)
          ) {
            now = Math.max(now, due);
            const notified = step(incident, STILL, now, policy);
            expect(notified.notices).toHaveLength(1);
            incident = notified.incident;
            lastNotice = now;
          }
          now = end;
          const next = step(incident, seen, now, policy);
          incident = next.incident;
          if (next.notices.length > 0) lastNotice = now;
          if (incident.kind === 'firing') expect(now - lastNotice).toBeLessThanOrEqual(QUIET);
        }
      }),
    );
  });

  it('nothing is notified while muted', () => {
    fc.assert(
      fc.property(sequence, fc.integer({ min: 0, max: 20 * QUIET }), (gaps, mutedUntil) => {
        for (const { at } of notices(timed(gaps), mutedUntil)) expect(at).toBeGreaterThanOrEqual(mutedUntil);
      }),
    );
  });
});
