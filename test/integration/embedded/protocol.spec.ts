import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { BSON, type Document, MongoClient, type MongoServerError } from 'mongodb';
import { openStore } from '../../../embedded';
import { codeOf, openTestStore, temporaryFolder, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

const socketPath = (): string =>
  decodeURIComponent(new URL(store.url).host || store.url.slice('mongodb://'.length).split('/')[0] || '');

async function connect(): Promise<Socket> {
  const socket = createConnection(socketPath());
  await once(socket, 'connect');
  return socket;
}

function message(opCode: number, payload: Buffer, requestId = 1): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + payload.length, 0);
  header.writeInt32LE(requestId, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, payload]);
}

const opMsg = (body: Document, flags = 0): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags, 0);
  return message(2013, Buffer.concat([head, BSON.serialize(body)]));
};

/** The body of the next whole reply. */
async function reply(socket: Socket): Promise<Document> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) break;
  }
  return BSON.deserialize(bytes.subarray(bytes.readInt32LE(12) === 1 ? 36 : 21, bytes.readInt32LE(0)));
}

describe('frames', () => {
  test('a message in single bytes is understood', async () => {
    const socket = await connect();
    const bytes = opMsg({ ping: 1, $db: 'admin' });
    const answer = reply(socket);
    for (const byte of bytes) socket.write(Buffer.of(byte));
    expect(await answer).toEqual({ ok: 1 });
    socket.destroy();
  });

  test('many messages in one chunk are answered in order', async () => {
    const socket = await connect();
    const count = 3000;
    socket.write(Buffer.concat(Array.from({ length: count }, () => opMsg({ ping: 1, $db: 'admin' }))));
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= count * 38) break;
    }
    expect(received).toBe(count * 38);
  });

  test('the old handshake by OP_QUERY is answered by OP_REPLY', async () => {
    const socket = await connect();
    const query = Buffer.concat([
      Buffer.alloc(4),
      Buffer.from('admin.$cmd\0'),
      Buffer.alloc(4),
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      BSON.serialize({ isMaster: 1 }),
    ]);
    socket.write(message(2004, query));
    expect(await reply(socket)).toMatchObject({ ismaster: true, maxWireVersion: 25, ok: 1 });
    socket.destroy();
  });

  test('hello offers neither sessions nor compression nor a replica set', async () => {
    const hello = await store.db.command({ hello: 1, compression: ['zlib'] });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxWireVersion: 25,
      maxBsonObjectSize: 16777216,
      maxMessageSizeBytes: 48000000,
    });
    for (const absent of ['logicalSessionTimeoutMinutes', 'compression', 'setName', 'topologyVersion'])
      expect(hello).not.toHaveProperty(absent);
  });

  test.each([
    ['a length below the header', Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])],
    ['a length above 48 MB', Buffer.from([0, 0, 0, 0x7f, 0, 0, 0, 0])],
    ['OP_COMPRESSED', message(2012, Buffer.alloc(20))],
    ['an unknown opcode', message(1234, Buffer.alloc(20))],
    ['an unknown required flag', opMsg({ ping: 1 }, 1 << 5)],
    ['a body longer than the message', message(2013, Buffer.from([0, 0, 0, 0, 0, 200, 0, 0, 0, 0]))],
    ['no body', message(2013, Buffer.alloc(5, 1))],
    ['an unknown section', message(2013, Buffer.concat([Buffer.alloc(4), Buffer.of(9), BSON.serialize({ a: 1 })]))],
  ])('%s closes that connection and no other', async (_name, bytes) => {
    const socket = await connect();
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    expect(await store.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('broken BSON in a sound frame is answered with code 22', async () => {
    const socket = await connect();
    const bytes = opMsg({ ping: 'text', $db: 'admin' });
    bytes.writeInt32LE(900, bytes.indexOf('ping') + 5);
    socket.write(bytes);
    expect(await reply(socket)).toMatchObject({ ok: 0, code: 22 });
    socket.destroy();
  });
});

describe('refusals', () => {
  test.each([
    [{ nonsense: 1 }, 59],
    [{ constructor: 1 }, 59],
    [{ ping: 1, startTransaction: true, txnNumber: 1 }, 20],
    [{ insert: 'x', documents: [{}], writeConcern: { w: 2 } }, 2],
    [{ insert: 'x', documents: [{}], unknownField: 1 }, 40415],
    [{ insert: 'x', documents: [] }, 16],
    [{ insert: 'x' }, 40414],
    [{ find: 'x', readConcern: { level: 'snapshot' } }, 123],
    [{ insert: 'a$b', documents: [{}] }, 73],
    [{ insert: 'system.users', documents: [{}] }, 73],
    [{ configureFailPoint: 'other', mode: 'off' }, 13],
    [{ getMore: 5n, collection: 'x' }, 43],
    [{ aggregate: 'x', pipeline: [{ $changeStream: {} }], cursor: {} }, expect.any(Number)],
    [{ collStats: 'x', maxTimeMS: -1 }, 2],
  ])('%j is refused with %p', async (command, code) => {
    const c = store.client.db('everstep');
    expect(await codeOf(c.command(command as Document, { promoteLongs: true }))).toEqual(code);
  });

  test('fail points exist only in stores opened for tests', async () => {
    const plain = await openTestStore({ testCommands: false });
    const command = {
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['ping'], errorCode: 1 },
    };
    expect(await codeOf(plain.client.db('admin').command(command))).toBe(59);
    await plain.close();
  });
});

describe('fail points', () => {
  const fail = (data: Document, mode: unknown = { times: 1 }): Promise<Document> =>
    store.client.db('admin').command({ configureFailPoint: 'failCommand', mode, data });

  test('a command fails a given number of times with the given code and labels', async () => {
    await fail({ failCommands: ['find'], errorCode: 91, errorLabels: ['SomeLabel'] }, { times: 2 });
    const find = (): Promise<unknown> => store.db.command({ find: 'x' });
    for (let i = 0; i < 2; i++) {
      const error = await find().catch((refused: MongoServerError) => refused);
      expect(error).toMatchObject({ code: 91 });
      expect((error as MongoServerError).hasErrorLabel('SomeLabel')).toBe(true);
    }
    await find();
  });

  test('a connection is cut without a reply', async () => {
    await fail({ failCommands: ['insert'], closeConnection: true });
    await expect(store.db.collection('x').insertOne({})).rejects.toThrow(/closed/);
    await store.db.collection('x').insertOne({});
  });

  test('a write concern error rides along with a write that was done', async () => {
    await fail({ failCommands: ['insert'], writeConcernError: { code: 64, errmsg: 'late' } });
    const reply = await store.db
      .command({ insert: 'wce', documents: [{ _id: 1 }] })
      .catch((error: { result?: unknown }) => error.result);
    expect(reply).toMatchObject({ n: 1, writeConcernError: { code: 64 } });
    expect(await store.db.collection('wce').findOne()).toEqual({ _id: 1 });
  });

  test('a blocked command is late, and over when its time is', async () => {
    await fail({ failCommands: ['find'], blockConnection: true, blockTimeMS: 50 });
    const began = performance.now();
    await store.db.command({ find: 'x' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(45);
    await fail({ failCommands: ['find'], blockConnection: true, blockTimeMS: 60_000 });
    expect(await codeOf(store.db.command({ find: 'x', maxTimeMS: 30 }))).toBe(50);
  });
});

describe('listening on TCP', () => {
  test('requires a login, accepts the right password and rejects others', async () => {
    const dir = temporaryFolder();
    const served = await openStore({
      dir,
      sync: false,
      listen: { host: '127.0.0.1', port: 0, user: 'ann', password: 'p@ss:word' },
    });
    const right = new MongoClient(served.url);
    await right.db().collection('x').insertOne({ a: 1 });
    expect(await right.db('admin').command({ connectionStatus: 1 })).toMatchObject({
      authInfo: { authenticatedUsers: [{ user: 'ann', db: 'admin' }] },
    });
    await right.close();
    const { host } = new URL(served.url);
    for (const [login, code] of [
      ['ann:wrong@', 18],
      ['bob:p%40ss%3Aword@', 18],
      ['', 13],
    ] as const) {
      const client = new MongoClient(`mongodb://${login}${host}/?directConnection=true&serverSelectionTimeoutMS=2000`);
      expect(await codeOf(client.db().collection('x').findOne())).toBe(code);
      await client.close();
    }
    await served.close();
  });

  test('is refused on an address that others can reach, and without a password', async () => {
    const dir = temporaryFolder();
    const tcp = { host: '0.0.0.0', port: 0, user: 'a', password: 'b' };
    await expect(openStore({ dir, listen: tcp })).rejects.toThrow(/loopback/);
    await expect(openStore({ dir, listen: { ...tcp, host: '127.0.0.1', password: '' } })).rejects.toThrow(/password/);
    await (await openStore({ dir })).close();
  });
});
