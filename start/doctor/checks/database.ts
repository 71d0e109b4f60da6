import type { Db } from 'mongodb';
import { type Check, type Finding, fault, note, ok, warning } from '../finding';
import { isOlder } from './nats';

const OLDEST = [6, 0] as const;
const PROBE = 'doctor';
const WRITE_MS = 5_000;

/** The database: reached, new enough, with copies, and whether we may do all that the service does. */
export const database: Check = {
  name: 'database',
  mend: 'Check host, user and password in MONGO_URL, and that the database runs and may be reached from here.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind === 'absent') return [ok('the built-in store; the first start will make it')];
    const { db, kind, served } = found;
    if (kind === 'embedded')
      return [ok(`the built-in store${served ? ', served by a running process' : ''}`), await writing(db)];
    return [...(await server(db)), await writing(db)];
  },
};

async function server(db: Db): Promise<Finding[]> {
  const { version } = (await db.command({ buildInfo: 1 })) as { version: string };
  const hello = (await db.command({ hello: 1 })) as {
    setName?: string;
    isWritablePrimary?: boolean;
    hosts?: string[];
    msg?: string;
  };
  const found: Finding[] = [
    isOlder(version, OLDEST)
      ? fault(`MongoDB ${version} is too old`, `Install MongoDB ${OLDEST[0]} or newer.`)
      : ok(`MongoDB ${version}`),
  ];
  if (hello.isWritablePrimary !== true)
    found.push(
      fault(
        'the server that answers is no primary',
        'Name all members and replicaSet=... in MONGO_URL, without directConnection.',
      ),
    );
  if (hello.msg === 'isdbgrid') return [...found, note('a sharded cluster, with which this version was not tried')];
  const members = hello.hosts?.length ?? 1;
  if (hello.setName === undefined)
    found.push(
      warning('it stands alone: what is lost with its disk is lost', 'Make it a replica set of three members.'),
    );
  else if (members < 3)
    found.push(
      warning(
        `the replica set ${hello.setName} has ${members} of three members`,
        'Add members, so that a majority is there when one is not.',
      ),
    );
  return found;
}

/** Does in a collection of its own what the service does in its own ones. */
async function writing(db: Db): Promise<Finding> {
  const probe = db.collection<{ _id: string; at: Date }>(PROBE, {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: WRITE_MS },
  });
  try {
    await probe.createIndex({ at: 1 });
    await probe.updateOne({ _id: PROBE }, { $set: { at: new Date() } }, { upsert: true });
    await probe.findOne({ _id: PROBE });
    await probe.deleteOne({ _id: PROBE });
    await probe.drop();
    return ok('it takes writes, acknowledged by a majority and on disk');
  } catch (cause) {
    const { code, codeName, message } = cause as { code?: unknown; codeName?: unknown; message?: unknown };
    if (code === 13)
      return fault(
        'we may not write, or make indexes',
        `Give the user the role readWrite on the database ${db.databaseName}.`,
      );
    if (code === 14031) return fault('its disk is full', 'Make room.');
    if (code === 64 || codeName === 'WriteConcernFailed')
      return fault(
        'writes are not acknowledged by a majority in time',
        'See that a majority of the members is up and keeps pace.',
      );
    return fault(`it refuses writes: ${String(message)}`, 'See what its log says.');
  }
}
