import { readTimer } from '../../timer-text';
import type { Migration } from '../step';

/**
 * Timers of before there were sources to ask do not say their kind. A schedule that is told anew is compared by its text,
 * and one without would begin anew.
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

const withKind = (text: string): string => JSON.stringify(readTimer(text));
