import { systemClock } from '../../../lib/clock';

const DAY = 86_400_000;

describe('the real clock', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([0, 1, 24 * DAY, 25 * DAY, 30 * DAY, 100 * 365 * DAY])('fires once after %d ms, and not earlier', (delay) => {
    const fire = jest.fn();
    systemClock.after(delay, fire);
    jest.advanceTimersByTime(Math.max(0, delay - 1));
    expect(fire).toHaveBeenCalledTimes(delay === 0 ? 1 : 0);
    jest.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(50 * DAY);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('fires at once for a past time', () => {
    const fire = jest.fn();
    systemClock.after(-5, fire);
    jest.advanceTimersByTime(0);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('does not fire after it was cancelled', () => {
    const fire = jest.fn();
    const cancel = systemClock.after(60 * DAY, fire);
    jest.advanceTimersByTime(40 * DAY);
    cancel();
    jest.advanceTimersByTime(40 * DAY);
    expect(fire).not.toHaveBeenCalled();
  });
});
