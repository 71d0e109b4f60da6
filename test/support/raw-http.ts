import { connect } from 'node:net';

/** Sends bytes as they are, and returns the bytes that arrive until the server closes or sends nothing for a while. */
export function rawRequest(url: string, bytes: string | Buffer, silentMs = 300): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    let timer = setTimeout(finish, silentMs * 5);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(finish, silentMs);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      finish();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (chunks.length > 0 || error.code === 'ECONNRESET' || error.code === 'EPIPE') finish();
      else reject(error);
    });
  });
}

/** The status of a raw answer; null when there is none. */
export const statusOf = (answer: string): number | null => {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  return status === undefined ? null : Number(status);
};
