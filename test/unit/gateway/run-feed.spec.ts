import { AppError } from '../../../lib/errors';
import { type EventBatch, RunFeed } from '../../../services/api-gateway/sse/run-feed';

const BATCH: EventBatch = { events: [], ended: false, position: 0 } as unknown as EventBatch;
const failing = (fault: Error): Promise<EventBatch> => new Promise((_, reject) => setImmediate(() => reject(fault)));

it('reads once for streams that ask at the same time', async () => {
  const feed = new RunFeed();
  const read = jest.fn(() => Promise.resolve(BATCH));
  await Promise.all([feed.after(0, 1, read), feed.after(0, 1, read)]);
  expect(read).toHaveBeenCalledTimes(1);
});

it('reads again for a stream when the caller of another one is refused', async () => {
  const feed = new RunFeed();
  const refused = feed.after(0, 1, () => failing(new AppError('not_found', 'There is no execution x')));
  const other = feed.after(0, 1, () => Promise.resolve(BATCH));
  await expect(refused).rejects.toMatchObject({ type: 'not_found' });
  expect(await other).toBe(BATCH);
});

it('shares a fault of the service, so that it is not asked once for each stream', async () => {
  const feed = new RunFeed();
  const read = jest.fn(() => failing(new AppError('unavailable', 'No executor')));
  const both = await Promise.allSettled([feed.after(0, 1, read), feed.after(0, 1, read)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(read).toHaveBeenCalledTimes(1);
});
