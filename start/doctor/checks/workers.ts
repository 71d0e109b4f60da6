import { type Check, type Finding, note, ok, warning } from '../finding';
import { VERSION } from '../../version';

/** The stored record of an executor. */
interface Host {
  readonly _id: string;
  readonly version?: string;
  readonly state: string;
  readonly lease_until: Date;
}

/** Live executors and their versions. */
export const workers: Check = {
  name: 'workers',
  needsDatabase: true,
  mend: 'See what the check of the database says.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind === 'absent') return [ok('none has started yet')];
    const hosts = await found.db
      .collection('hosts')
      .find<Host>({ state: { $in: ['alive', 'draining'] }, $expr: { $gte: ['$lease_until', '$$NOW'] } })
      .toArray();
    return workerFindings(
      hosts.map(({ version }) => version ?? 'unknown'),
      VERSION,
    );
  },
};

/** `versions`: one for each live executor. Pure. */
export function workerFindings(versions: readonly string[], ours: string): Finding[] {
  if (versions.length === 0) return [note('no executor is alive: runs are stored and wait for one')];
  const others = [...new Set(versions)].filter((version) => version !== ours);
  if (others.length === 0) return [ok(`${versions.length} alive, all of version ${ours}`)];
  return [
    warning(
      `${versions.length} alive, some of version ${others.join(', ')} (ours is ${ours})`,
      'Finish the rollout: versions may differ meanwhile, see docs/upgrade.md.',
    ),
  ];
}
