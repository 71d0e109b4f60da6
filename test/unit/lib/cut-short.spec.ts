import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { MongoClient } from 'mongodb';
import { isUnreachable } from '../../../lib/database';
import { openTestDatabase } from '../../support/app';

test('a bulk write with a lost connection counts as an unreachable database; a rejected one does not', async () => {
  const database = await openTestDatabase({ tcp: true });
  const { hostname, port } = new URL(database.url);
  let cut = false;
  const proxy = createServer((from) => {
    const to = connect(Number(port), hostname);
    from.on('data', (chunk) => (cut && chunk.includes('insert') ? from.destroy() : to.write(chunk)));
    to.pipe(from);
    for (const socket of [from, to])
      socket.on('error', () => undefined).on('close', () => (from.destroy(), to.destroy()));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(proxy.address() as { port: number }).port}`;
  const client = new MongoClient(url.href, { retryWrites: false });
  const things = client.db(database.name).collection<{ _id: string }>('things');
  const faultOf = (ids: string[]): Promise<unknown> =>
    things.insertMany(ids.map((_id) => ({ _id }))).then(
      () => null,
      (fault: unknown) => fault,
    );
  try {
    expect(await faultOf(['a'])).toBeNull();
    const refused = await faultOf(['a']);
    expect([(refused as Error).name, isUnreachable(refused)]).toEqual(['MongoBulkWriteError', false]);
    cut = true;
    const broken = await faultOf(['b']);
    expect(broken).toBeInstanceOf(Error);
    expect(isUnreachable(broken)).toBe(true);
  } finally {
    await client.close();
    proxy.close();
    await database.close();
  }
});
