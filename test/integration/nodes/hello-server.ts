import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { deserialize, type Document, serialize } from 'bson';

/** A server that speaks MongoDB's wire protocol, and answers every command with what `answer` says. */
export interface HelloServer {
  readonly port: number;
  /** Names of the commands that it was asked, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

const OP_MSG = 2013;
const BEFORE_DOCUMENT = 21;

export async function startHelloServer(answer: (command: Document) => Document): Promise<HelloServer> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 16 && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        const command = commandOf(rest.subarray(0, length));
        asked.push(Object.keys(command)[0] ?? '');
        const answered = reply(rest, serialize(answer(command)));
        if (!socket.destroyed) socket.write(answered);
        rest = rest.subarray(length);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The document of an OP_MSG: after the header, flags and the kind of its section. */
const commandOf = (message: Buffer): Document => deserialize(message.subarray(BEFORE_DOCUMENT));

function reply(question: Buffer, document: Uint8Array): Buffer {
  const head = Buffer.alloc(BEFORE_DOCUMENT);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(question.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, document]);
}
