import { parseStoredTimer } from '../../stored-timer';
import type { Migration } from '../step';

/**
 * Adds the kind to stored timers: versions without polling triggers did not store it. The scheduler compares the texts of
 * timers, so a timer without a kind would be taken for a changed one and start again.
 */
export const timers: Migration = {
  number: 1,
  name: 'timers say their kind',
  kind: 'expand',
  async run({ walk }) {
    await walk<{ _id: string; timers?: string[] }>(
      'workflows',
      { timers: { $exists: true } },
      ({ timers: before = [] }) => {
        const after = before.map(withKind);
        return after.join() === before.join()
          ? null
          : { where: { timers: before }, update: { $set: { timers: after } } };
      },
    );
    await walk<{ _id: string; timer: string }>('schedules', {}, ({ timer }) =>
      withKind(timer) === timer ? null : { where: { timer }, update: { $set: { timer: withKind(timer) } } },
    );
  },
};

const withKind = (text: string): string => JSON.stringify(parseStoredTimer(text));
