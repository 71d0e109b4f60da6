import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { isUnreachable } from '../../../lib/database';

type PoolFault = new (pool: { address: string; serverError: null }) => Error;

/** The driver throws them, and does not export them. */
const { PoolClearedError, PoolClearedOnNetworkError } = jest.requireActual<{
  PoolClearedError: PoolFault;
  PoolClearedOnNetworkError: PoolFault;
}>('mongodb/lib/cmap/errors');

const pool = { address: 'somewhere:1', serverError: null };

describe('a fault of the driver', () => {
  it.each<[string, unknown]>([
    ['a cut connection', new MongoNetworkError('cut')],
    ['a silent one', new MongoNetworkTimeoutError('silent')],
    ['a pool that was cleared', new PoolClearedError(pool)],
    ['a pool that was cleared under way', new PoolClearedOnNetworkError(pool)],
    ['a server that shuts down', new MongoServerError({ message: 'shutdown in progress', code: 91 })],
  ])('treats %s as an unreachable database', (_what, fault) => expect(isUnreachable(fault)).toBe(true));

  it.each<[string, unknown]>([
    ['a duplicate key', new MongoServerError({ message: 'duplicate key', code: 11_000 })],
    ['a fault of ours', new Error('other')],
    ['nothing', null],
    ['a text', 'text'],
  ])('does not treat %s as an unreachable database', (_what, fault) => expect(isUnreachable(fault)).toBe(false));
});
