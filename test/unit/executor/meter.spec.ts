import { monthOf } from '../../../lib/month';
import { Meter, type StartReservation } from '../../../services/executor/usage/meter';

const START = Date.UTC(2026, 10, 21, 12);
const LIMIT = 1_000_000;

/** The store: when each run began. */
class Store {
  readonly runs: number[] = [];
  held: { count: (n: number) => void; until: number }[] | null = null;
  readonly count = async (until: number): Promise<number> => {
    const counted = this.runs.filter((at) => at < until).length;
    if (this.held === null) return counted;
    return new Promise((count) => this.held?.push({ count, until }));
  };
}

const meterOn = (store: Store): Meter => new Meter(monthOf(START), store.count);
const store = (place: StartReservation, on: Store): void => {
  on.runs.push(place.at);
  place.settle(true);
};

describe('the meter of a month', () => {
  it('counts stored runs and its own starts once', async () => {
    const records = new Store();
    records.runs.push(START - 5_000, START - 4_000);
    const meter = meterOn(records);
    await meter.refresh(START);
    expect(meter.used).toBe(2);
    for (const at of [START, START + 400, START + 1_300]) store(meter.take(at), records);
    expect(meter.used).toBe(5);
    for (const now of [START + 1_400, START + 2_500, START + 60_000]) {
      await meter.refresh(now);
      expect(meter.used).toBe(5);
    }
  });

  it('counts a start that is not stored yet once, for any delay', async () => {
    const records = new Store();
    const meter = meterOn(records);
    await meter.refresh(START);
    const slow = meter.take(START + 100);
    store(meter.take(START + 5_000), records);
    await meter.refresh(START + 20_000);
    expect(meter.used).toBe(2);
    store(slow, records);
    await meter.refresh(START + 21_000);
    expect(meter.used).toBe(2);
  });

  it('counts a start during a read once', async () => {
    const records = new Store();
    const meter = meterOn(records);
    await meter.refresh(START);
    store(meter.take(START + 100), records);
    records.held = [];
    const reading = meter.refresh(START + 5_000);
    store(meter.take(START + 5_010), records);
    const [asked] = records.held;
    asked?.count(records.runs.filter((at) => at < asked.until).length);
    await reading;
    expect(meter.used).toBe(2);
  });

  it('releases a start that was not stored, once', async () => {
    const records = new Store();
    const meter = meterOn(records);
    await meter.refresh(START);
    const place = meter.take(START);
    place.settle(false);
    place.settle(false);
    expect(meter.used).toBe(0);
    expect(meter.idle).toBe(true);
  });

  it('reads again every half minute, and every second when a tenth of the rest is used', async () => {
    const records = new Store();
    const meter = meterOn(records);
    await meter.refresh(START);
    expect([29_000, 30_000].map((ms) => meter.stale(START + ms, LIMIT))).toEqual([false, true]);
    for (let n = 0; n < 10; n += 1) store(meter.take(START), records);
    expect([900, 1_000].map((ms) => meter.stale(START + ms, 100))).toEqual([false, true]);
    expect(meter.stale(START + 29_000, 101)).toBe(false);
  });

  it('keeps its counts after a failed read', async () => {
    let fails = false;
    const meter = new Meter(monthOf(START), () => (fails ? Promise.reject(new Error('away')) : Promise.resolve(3)));
    await meter.refresh(START);
    meter.take(START).settle(true);
    fails = true;
    await expect(meter.refresh(START + 40_000)).rejects.toThrow('away');
    expect(meter.used).toBe(4);
  });
});
