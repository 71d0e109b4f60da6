import { LOG_LIMITS, RunLog } from '../../../runtime/execution/run-log';
import { ManualClock } from '../../support/manual-clock';
import { memoryLogs } from '../../support/runtime/memory-logs';

function logOf(logs = memoryLogs(), mayWrite = () => true) {
  const clock = new ManualClock();
  const faults: unknown[] = [];
  let stored = 0;
  const deps = {
    logs,
    clock,
    executionId: 'run',
    mayWrite,
    onStored: () => (stored += 1),
    onFault: (fault: unknown) => faults.push(fault),
  };
  const log = new RunLog(deps);
  const messages = () => logs.batches.flatMap(({ lines }) => lines.map(({ message }) => message));
  return { log, logs, clock, faults, messages, stored: () => stored };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the log of a run', () => {
  it('stores lines after a quarter of a second, and at the end of their attempt', async () => {
    const { log, clock, messages, stored } = logOf();
    log.add('a', 1, 'info', 'one');
    expect(messages()).toEqual([]);
    clock.advance(250);
    await settle();
    expect(messages()).toEqual(['one']);
    log.add('a', 1, 'info', 'two');
    await log.attemptEnded('a', 1);
    expect(messages()).toEqual(['one', 'two']);
    expect(stored()).toBe(2);
  });

  it('keeps so many lines of an attempt, and says once that others are left out', async () => {
    const { log, messages } = logOf();
    for (let n = 0; n < LOG_LIMITS.attemptLines + 50; n++) log.add('a', 1, 'info', `line ${n}`);
    await log.attemptEnded('a', 1);
    expect(messages()).toHaveLength(LOG_LIMITS.attemptLines + 1);
    expect(messages().at(-1)).toContain('left out');
    log.add('a', 2, 'info', 'of the next attempt');
    await log.attemptEnded('a', 2);
    expect(messages().at(-1)).toBe('of the next attempt');
  });

  it('is full after so many characters, also over hosts, and says so once', async () => {
    const logs = memoryLogs();
    for (let host = 0; host < 3; host++) {
      const { log } = logOf(logs);
      for (let n = 0; n < 300; n++) {
        log.add('a', host * 1_000 + n, 'info', 'x'.repeat(LOG_LIMITS.lineChars));
        await log.attemptEnded('a', host * 1_000 + n);
      }
    }
    const all = logs.batches.flatMap(({ lines }) => lines);
    expect(all.filter(({ message }) => message.includes('is full'))).toHaveLength(1);
    expect(all).toHaveLength(Math.floor(LOG_LIMITS.runChars / LOG_LIMITS.lineChars) + 1);
  });

  it('cuts long lines, and leaves out long data', async () => {
    const { log, logs } = logOf();
    log.add('a', 1, 'info', 'x'.repeat(10_000), { text: 'y'.repeat(10_000) });
    log.add('a', 1, 'info', 'short', { n: 1 });
    await log.attemptEnded('a', 1);
    const [long, short] = logs.batches.flatMap(({ lines }) => lines);
    expect(long?.message).toHaveLength(LOG_LIMITS.lineChars);
    expect(long).not.toHaveProperty('data');
    expect(short).toMatchObject({ message: 'short', data: { n: 1 } });
  });

  it('continues after the lines of another host', async () => {
    const logs = memoryLogs();
    const [one, two] = [logOf(logs), logOf(logs)];
    one.log.add('a', 1, 'info', 'one');
    await one.log.attemptEnded('a', 1);
    two.log.add('a', 2, 'info', 'two');
    await two.log.attemptEnded('a', 2);
    one.log.add('a', 3, 'info', 'three');
    await one.log.attemptEnded('a', 3);
    expect(one.messages()).toEqual(['one', 'two', 'three']);
    expect(logs.batches.map(({ size }) => size.lines)).toEqual([1, 2, 3]);
  });

  it('reports a store that fails, and stores the lines with the next ones', async () => {
    const logs = memoryLogs();
    let broken = true;
    const { log, faults, messages } = logOf({
      ...logs,
      append: (batch) => (broken ? Promise.reject(new Error('away')) : logs.append(batch)),
    });
    log.add('a', 1, 'info', 'one');
    await log.attemptEnded('a', 1);
    expect(faults).toHaveLength(1);
    broken = false;
    log.add('a', 2, 'info', 'two');
    await log.attemptEnded('a', 2);
    expect(messages()).toEqual(['one', 'two']);
  });

  it('stores nothing on a host that may not write', async () => {
    const { log, messages } = logOf(memoryLogs(), () => false);
    log.add('a', 1, 'info', 'one');
    await log.attemptEnded('a', 1);
    expect(messages()).toEqual([]);
  });
});
