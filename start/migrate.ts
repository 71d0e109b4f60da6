import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import type { Db } from 'mongodb';
import { systemClock } from '../lib/clock';
import { assertKnown, doneSteps, migrate, MIGRATIONS } from '../lib/migrations';
import { runTool } from './store-tool';
import { VERSION } from './version';

const USAGE = `usage: npm run migrate -- [--url mongodb://...]            what a start would do by itself, now
       npm run migrate -- --status                         what is done, and what is not
       npm run migrate -- --finish [--despite-older]       every process is of this version: drops what only older ones need`;

/** `npm run migrate`: runs data migrations by hand. */
runTool(async (withDatabase) => {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, status: flag, finish: flag, 'despite-older': flag },
  });
  if (positionals.length > 0 || (values.status && values.finish)) throw new Error(USAGE);
  await withDatabase(values.url, async (db, progress) => {
    await assertKnown(db, MIGRATIONS, VERSION);
    if (!values.status) await bringUpToDate(db, values.finish, values['despite-older'], progress);
    await report(db, progress);
  });
});

async function bringUpToDate(
  db: Db,
  finish: boolean,
  despiteOlder: boolean,
  log: (line: string) => void,
): Promise<void> {
  if (finish && !despiteOlder) await assertNoneOlder(db);
  const outcome = await migrate({
    db,
    steps: MIGRATIONS,
    kinds: finish ? ['expand', 'contract'] : ['expand'],
    again: finish,
    holder: `${hostname()}-${process.pid}`,
    version: VERSION,
    clock: systemClock,
    log,
    signal: new AbortController().signal,
  });
  if (outcome !== 'done') throw new Error('Another process is running the migrations; try again in a minute');
}

/** Executors record their version; for other processes the operator has to know it. */
async function assertNoneOlder(db: Db): Promise<void> {
  const alive = {
    state: { $in: ['alive', 'draining'] },
    version: { $ne: VERSION },
    $expr: { $gte: ['$lease_until', '$$NOW'] },
  };
  const others = await db.collection<{ _id: string; version: string }>('hosts').find(alive).toArray();
  if (others.length === 0) return;
  const names = others.map(({ _id, version }) => `${_id} (${version})`).join(', ');
  throw new Error(`These executors run another version than ${VERSION}: ${names}. Replace them first`);
}

async function report(db: Db, say: (line: string) => void): Promise<void> {
  const done = await doneSteps(db);
  for (const { number, name, kind } of MIGRATIONS) {
    const waits = kind === 'contract' ? 'waits for --finish' : 'not done';
    say(`${String(number).padStart(3)}  ${done.has(number) ? 'done' : waits}  ${name}`);
  }
}
