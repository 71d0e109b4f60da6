import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { openStore } from '../../../embedded';
import { expectConsistent, openTestStore, temporaryFolder } from './harness';
import { endOwners, startOwner } from './owner';

afterEach(endOwners);

/** How to run a program in a PID namespace of its own, as a container does; null where this is not permitted. */
const NAMESPACE = [[], ['--user', '--map-root-user']]
  .map((user) => ['unshare', ...user, '--mount', '--pid', '--mount-proc', '--fork', '--kill-child=SIGKILL'])
  .find(([command, ...args]) => spawnSync(command as string, [...args, 'true']).status === 0);
const withNamespaces = NAMESPACE === undefined ? test.skip : test;
const unlessPermitted = NAMESPACE === undefined ? ' (skipped: unshare is not permitted here)' : '';

/** Everything that was acknowledged is there, and indexes agree with documents. */
async function expectAll(dir: string, lines: readonly string[]): Promise<void> {
  const store = await openStore({ dir });
  const client = new MongoClient(store.url);
  const acknowledged = lines.flatMap((line) => (line.startsWith('inserted ') ? [line.slice('inserted '.length)] : []));
  const found = new Set<string>();
  for (const { name } of await client.db().listCollections().toArray())
    for await (const { _id } of client.db().collection<{ _id: string }>(name).find()) found.add(_id);
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(0);
  await expectConsistent(client.db());
  await client.close();
  await store.close();
}

withNamespaces(
  `of two processes in different PID namespaces only one gets the folder, and the other once that is killed${unlessPermitted}`,
  async () => {
    const dir = temporaryFolder();
    const first = startOwner(dir, 'first', { prefix: NAMESPACE });
    await first.line(/^inserted/);
    const second = startOwner(dir, 'second', { prefix: NAMESPACE });
    const refusal = await second.line(/^refused|^open/);
    expect(refusal).toContain(`the data folder ${dir} is in use by a process in another container (host ${hostname()}`);
    expect(refusal).toContain('stop it first');
    expect(second.lines.filter((line) => line.startsWith('inserted'))).toEqual([]);
    const here = startOwner(dir, 'here');
    expect(await here.line(/^refused|^open/)).toContain('in another container');
    await first.kill();
    const third = startOwner(dir, 'third', { prefix: NAMESPACE });
    await third.line(/^inserted/);
    await third.kill();
    await expectAll(dir, [...first.lines, ...third.lines]);
    rmSync(dir, { recursive: true, force: true });
  },
  120_000,
);

withNamespaces(
  `a folder that is bound to another path is the same folder${unlessPermitted}`,
  async () => {
    const dir = temporaryFolder();
    const elsewhere = join(temporaryFolder(), 'bound');
    mkdirSync(elsewhere);
    const first = startOwner(dir, 'first');
    await first.line(/^inserted/);
    const bind = `mount --bind ${dir} ${elsewhere}`;
    const second = startOwner(elsewhere, 'second', { prefix: NAMESPACE, before: bind });
    expect(await second.line(/^refused|^open/)).toContain(`the data folder ${elsewhere} is in use by`);
    await first.kill();
    const third = startOwner(elsewhere, 'third', { prefix: NAMESPACE, before: bind });
    await third.line(/^inserted/);
    await third.kill();
    await expectAll(dir, [...first.lines, ...third.lines]);
    rmSync(dir, { recursive: true, force: true });
  },
  120_000,
);

test('the second of two processes on one machine names the first, and gets the lock when that is killed', async () => {
  const dir = temporaryFolder();
  const first = startOwner(dir, 'first');
  await first.line(/^inserted/);
  const second = startOwner(dir, 'second');
  expect(await second.line(/^refused|^open/)).toBe(
    `refused the data folder ${dir} is in use by process ${first.child.pid}; stop it first, or use another folder`,
  );
  await first.kill();
  const third = startOwner(dir, 'third');
  await third.line(/^inserted/);
  await third.kill();
  await expectAll(dir, [...first.lines, ...third.lines]);
  rmSync(dir, { recursive: true, force: true });
}, 120_000);

test('an owner whose lock file was removed locks it again', async () => {
  const dir = temporaryFolder();
  const first = startOwner(dir, 'first');
  await first.line(/^inserted/);
  rmSync(join(dir, 'folder.lock'));
  // The owner checks once a second; a second process waits for two seconds before it gives up.
  while (!existsSync(join(dir, 'folder.lock'))) await first.next();
  const second = startOwner(dir, 'second');
  expect(await second.line(/^refused|^open/)).toContain(`in use by process ${first.child.pid}`);
  await first.kill();
  rmSync(dir, { recursive: true, force: true });
}, 120_000);

test('a write is refused once another process has written to the file, and onFatal is called', async () => {
  const fatal: string[] = [];
  const store = await openTestStore({ onFatal: ({ message }) => void fatal.push(message) });
  await store.db.collection('x').insertOne({ a: 1 });
  const other = new DatabaseSync(join(store.dir, 'data.db'));
  other.exec("INSERT INTO meta (k, v) VALUES (x'00', x'00')");
  other.close();
  const message = `another process has written to ${join(store.dir, 'data.db')}`;
  await expect(store.db.collection('x').insertOne({ a: 2 })).rejects.toThrow(message);
  await expect(store.db.collection('x').insertOne({ a: 3 })).rejects.toThrow(message);
  expect(await store.db.collection('x').countDocuments()).toBe(1);
  expect(fatal).toEqual([expect.stringContaining(message)]);
  await store.close();
});
