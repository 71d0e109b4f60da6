import { type Span, ticksOf, timelineRows } from '../../../console/src/model/run-timeline';

const at = (ms: number): string => new Date(ms).toISOString();
const span = (path: string, from: number, to: number | null, more: Partial<Span> = {}): Span => ({
  path,
  address: path,
  step_id: path,
  type: 'set',
  kind: 'run',
  attempt: 1,
  started_at: at(from),
  ended_at: to === null ? null : at(to),
  outcome: to === null ? null : 'completed',
  ...more,
});

describe('the timeline of a run', () => {
  it('places bars in percent of the run', () => {
    const [first, second] = timelineRows([span('a', 0, 500), span('b', 500, 1_000)], { from: 0, to: 1_000 }, 1_000);
    expect(first?.bars[0]).toMatchObject({ left: 0, width: 50 });
    expect(second?.bars[0]).toMatchObject({ left: 50, width: 50 });
  });

  it('keeps the spans of one step in one row, which goes on until the last has ended', () => {
    const spans = [span('a', 0, 100), span('a', 100, 300, { kind: 'pause' }), span('a', 300, null, { attempt: 2 })];
    const rows = timelineRows(spans, { from: 0, to: 1_000 }, 1_000);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ endedAt: null });
    expect(rows[0]?.bars.map(({ width }) => width)).toEqual([10, 20, 70]);
  });

  it('shows the shortest step, and keeps every bar inside of the chart', () => {
    const rows = timelineRows([span('a', 1_000, 1_000), span('b', 0, 5_000)], { from: 0, to: 1_000 }, 1_000);
    for (const { left, width } of rows.flatMap(({ bars }) => bars)) {
      expect(width).toBeGreaterThan(0);
      expect(left + width).toBeLessThanOrEqual(100);
    }
  });

  it('indents steps by the containers around them', () => {
    const rows = timelineRows([span('each', 0, 1), span('each/steps[17]/fetch', 0, 1)], { from: 0, to: 1 }, 1);
    expect(rows.map(({ depth }) => depth)).toEqual([0, 1]);
  });

  it('marks round instants', () => {
    expect(ticksOf(1_000, 5)).toEqual([0, 200, 400, 600, 800, 1_000]);
    expect(ticksOf(65_000, 5)).toEqual([0, 15_000, 30_000, 45_000, 60_000]);
    expect(ticksOf(1, 5)).toEqual([0, 1]);
  });
});
