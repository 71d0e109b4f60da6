import type { Db } from 'mongodb';
import { UsageBreakdowns } from '../../../services/executor/usage/breakdown';
import { ManualClock } from '../../support/manual-clock';

const RUN = {
  tenantId: 't1',
  workflowId: 'w1',
  workflowName: 'Orders',
  status: 'completed',
  durationMs: 10,
  steps: 3,
  tokens: 0,
  costUsd: 0,
};

interface Write {
  readonly updateOne: { readonly update: { readonly $inc: { readonly runs: number } } };
}

it('counts that could not be written are written with the next ones', async () => {
  const written: number[] = [];
  let isAway = true;
  const collection = {
    bulkWrite: async (writes: readonly Write[]) => {
      if (isAway) throw new Error('The database does not answer');
      written.push(...writes.map(({ updateOne }) => updateOne.update.$inc.runs));
    },
  };
  const breakdowns = new UsageBreakdowns({ collection: () => collection } as unknown as Db, new ManualClock());
  breakdowns.onEnded(RUN);
  await expect(breakdowns.stop()).rejects.toThrow('does not answer');
  isAway = false;
  breakdowns.onEnded(RUN);
  await breakdowns.stop();
  expect(written).toEqual([2]);
});
