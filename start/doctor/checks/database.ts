import type { Db } from 'mongodb';
import { StoreError } from '../../../embedded';
import { type Check, type Finding, fault, note, ok, warning } from '../finding';
import { isOlder } from './nats';

const OLDEST = [6, 0] as const;
const PROBE = 'doctor';
const WRITE_MS = 5_000;

/** The database: reachable, recent, replicated, and with the permissions that the service needs. */
export const database: Check = {
  name: 'database',
  mend: 'Check host, user and password in MONGO_URL, and that the database runs and is reachable from here.',
  async run({ deployment }) {
    const found = await deployment.database().catch((cause: unknown) => {
      if (cause instanceof StoreError) return cause;
      throw cause;
    });
    if (found instanceof StoreError) return [fault(found.message, 'docs/backup.md says how to restore.')];
    if (found.kind === 'absent') return [ok('the built-in store; the first start will create it')];
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
        'the server that answers is not a primary',
        'Name all members and replicaSet=... in MONGO_URL, without directConnection.',
      ),
    );
  if (hello.msg === 'isdbgrid') return [...found, note('a sharded cluster, which this version was not tested with')];
  const members = hello.hosts?.length ?? 1;
  if (hello.setName === undefined)
    found.push(
      warning('it is a standalone server: a lost disk loses the data', 'Make it a replica set of three members.'),
    );
  else if (members < 3)
    found.push(
      warning(
        `the replica set ${hello.setName} has ${members} of three members`,
        'Add members, so that a majority remains when one fails.',
      ),
    );
  return found;
}

/** Does what the service does, in a collection of its own. */
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
    return ok('it accepts writes, acknowledged by a majority and on disk');
  } catch (cause) {
    const { code, codeName, message } = cause as { code?: unknown; codeName?: unknown; message?: unknown };
    if (code === 13)
      return fault(
        'the user may not write or create indexes',
        `Give the user the role readWrite on the database ${db.databaseName}.`,
      );
    if (code === 14031) return fault('its disk is full', 'Free space.');
    if (code === 64 || codeName === 'WriteConcernFailed')
      return fault(
        'writes are not acknowledged by a majority in time',
        'Check that a majority of the members is up and not lagging.',
      );
    return fault(`it refuses writes: ${String(message)}`, 'Check its log.');
  }
}
