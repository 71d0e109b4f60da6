import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { LockedError, openStore } from '../../../embedded';
import { temporaryFolder } from './harness';

const writeLock = (dir: string, owner: unknown): void =>
  writeFileSync(join(dir, 'owner.lock'), typeof owner === 'string' ? owner : JSON.stringify(owner));

/** True when the folder can be taken, and is free again afterwards. */
async function canBeOpened(dir: string): Promise<boolean> {
  const store = await openStore({ dir, sync: false });
  await store.close();
  return !existsSync(join(dir, 'owner.lock'));
}

test('a second owner is refused with the folder and the process in the message', async () => {
  const dir = temporaryFolder();
  const first = await openStore({ dir, sync: false });
  await expect(openStore({ dir })).rejects.toThrow(LockedError);
  await expect(openStore({ dir })).rejects.toThrow(new RegExp(`${dir}.*process ${process.pid}`));
  const client = new MongoClient(first.url);
  expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  await first.close();
  expect(await canBeOpened(dir)).toBe(true);
});

test('the lock of another live process holds, and can be taken once it is dead', async () => {
  const dir = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  writeLock(dir, { pid: other.pid, born: '' });
  await expect(openStore({ dir })).rejects.toMatchObject({ pid: other.pid });
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await canBeOpened(dir)).toBe(true);
});

test('a start right behind the end of the owner waits for it to go', async () => {
  const dir = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  writeLock(dir, { pid: other.pid, born: '' });
  const opening = canBeOpened(dir);
  setTimeout(() => other.kill('SIGKILL'), 200);
  expect(await opening).toBe(true);
});

test('a reused process id does not hold the lock', async () => {
  const dir = temporaryFolder();
  writeLock(dir, { pid: process.pid, born: 'another-boot:1' });
  expect(await canBeOpened(dir)).toBe(true);
});

test('a lock file that was cut short by a crash does not hold the folder', async () => {
  const dir = temporaryFolder();
  writeLock(dir, '{"pid": 12');
  expect(await canBeOpened(dir)).toBe(true);
});

test('of many that open at once one wins', async () => {
  const dir = temporaryFolder();
  writeLock(dir, { pid: 2 ** 22 + 1, born: 'x' });
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => openStore({ dir, sync: false })));
  const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(winners).toHaveLength(1);
  await winners[0]?.close();
});

test('a folder whose path is too long for a socket gets its socket elsewhere', async () => {
  const dir = join(temporaryFolder(), 'd'.repeat(80), 'e'.repeat(80));
  mkdirSync(dir, { recursive: true });
  const store = await openStore({ dir, sync: false });
  const path = decodeURIComponent(store.url.slice('mongodb://'.length).split('/')[0] ?? '');
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
  const client = new MongoClient(store.url);
  await client.db().collection('x').insertOne({});
  await client.close();
  await store.close();
  expect(existsSync(path)).toBe(false);
});
