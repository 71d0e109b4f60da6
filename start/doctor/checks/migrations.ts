import { doneSteps, fencesOf, MIGRATIONS, pendingOf, refusalOf } from '../../../lib/migrations';
import { VERSION } from '../../version';
import { type Check, fault, note, ok, warning } from '../finding';

/** Whether this version supports the data, and all migrations have run. */
export const migrations: Check = {
  name: 'migrations',
  needsDatabase: true,
  mend: 'See what the check of the database says.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind === 'absent') return [ok('there is no data yet')];
    const fence = await fencesOf(found.db).findOne({ _id: 'fence' });
    const refusal = refusalOf(fence, MIGRATIONS, VERSION);
    if (refusal !== null) return [fault(refusal, 'See docs/upgrade.md.')];
    const done = await doneSteps(found.db);
    if (pendingOf(MIGRATIONS, done, ['expand']).length > 0)
      return [
        warning(
          'the data is not up to date yet',
          'Start a process of this version, which migrates in the background, or run: npm run migrate',
        ),
      ];
    const last = pendingOf(MIGRATIONS, done, ['contract']).length;
    return last > 0
      ? [
          note(
            `${last} steps wait until no older version runs`,
            'When all processes are of this version: npm run migrate -- --finish',
          ),
        ]
      : [ok('the data is up to date')];
  },
};
