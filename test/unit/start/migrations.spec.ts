import type { Connection } from 'mongoose';
import { beginMigrations } from '../../../start/migrations';

describe('migrations of a process that stops', () => {
  it('end at once when the database becomes unreachable at that moment', async () => {
    let fail: (fault: Error) => void = () => undefined;
    const asked = new Promise<never>((_resolve, reject) => (fail = reject));
    const collection = () => ({ find: () => ({ toArray: () => asked }) });
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
    const stop = beginMigrations({ db: { collection } } as unknown as Connection, 'one', log);
    const stopped = stop();
    fail(new Error('the connection is closed'));
    await stopped;
    expect(warnings).toEqual([expect.stringContaining('the connection is closed')]);
  }, 5_000);
});
