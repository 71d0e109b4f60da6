import { createHash, generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Server, type SFTPWrapper, utils } from 'ssh2';

const { STATUS_CODE: CODE } = utils.sftp;

/** An SFTP server with files in memory, for the user ada with the password sesame. All files are in one folder, `/`. */
export interface SftpServer {
  readonly port: number;
  /** SHA256:... */
  readonly fingerprint: string;
  readonly files: Map<string, Buffer>;
  close(): Promise<void>;
}

export async function startSftpServer(): Promise<SftpServer> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '');
  const files = new Map<string, Buffer>();
  const server = new Server({ hostKeys: [privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      const fits = context.method === 'password' && context.username === 'ada' && context.password === 'sesame';
      if (fits) context.accept();
      else context.reject(['password']);
    });
    client.on('session', (accept) => accept().on('sftp', (open) => serve(open(), files)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: `SHA256:${digest}`,
    files,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function serve(sftp: SFTPWrapper, files: Map<string, Buffer>): void {
  const opened: string[] = [];
  const listed = new Set<string>();
  const handleOf = (path: string): Buffer => {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(opened.push(path) - 1);
    return handle;
  };
  const pathOf = (handle: Buffer): string => opened[handle.readUInt32BE()] ?? '';
  const attrs = (path: string) => ({
    mode: 0o100644,
    uid: 0,
    gid: 0,
    size: files.get(path)?.length ?? 0,
    atime: 0,
    mtime: 0,
  });
  sftp.on('OPEN', (id, path, flags) => {
    const writes = (flags & utils.sftp.OPEN_MODE.WRITE) !== 0;
    if (!writes && !files.has(path)) return sftp.status(id, CODE.NO_SUCH_FILE);
    if (writes) files.set(path, Buffer.alloc(0));
    return sftp.handle(id, handleOf(path));
  });
  sftp.on('FSTAT', (id, handle) => sftp.attrs(id, attrs(pathOf(handle))));
  sftp.on('FSETSTAT', (id) => sftp.status(id, CODE.OK));
  sftp.on('READ', (id, handle, offset, length) => {
    const bytes = (files.get(pathOf(handle)) ?? Buffer.alloc(0)).subarray(offset, offset + length);
    if (bytes.length === 0) sftp.status(id, CODE.EOF);
    else sftp.data(id, bytes);
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    const path = pathOf(handle);
    const before = (files.get(path) ?? Buffer.alloc(0)).subarray(0, offset);
    files.set(path, Buffer.concat([before, data]));
    sftp.status(id, CODE.OK);
  });
  sftp.on('CLOSE', (id) => sftp.status(id, CODE.OK));
  sftp.on('OPENDIR', (id, path) => {
    if (path === '/' || path === '.') sftp.handle(id, handleOf(path));
    else sftp.status(id, CODE.PERMISSION_DENIED);
  });
  sftp.on('READDIR', (id, handle) => {
    const key = handle.toString('hex');
    if (listed.has(key)) return sftp.status(id, CODE.EOF);
    listed.add(key);
    return sftp.name(
      id,
      [...files.keys()].map((path) => ({ filename: path.slice(1), longname: path, attrs: attrs(path) })),
    );
  });
  sftp.on('REMOVE', (id, path) => sftp.status(id, files.delete(path) ? CODE.OK : CODE.NO_SUCH_FILE));
  sftp.on('RENAME', (id, from, to) => {
    const bytes = files.get(from);
    if (bytes === undefined) return sftp.status(id, CODE.NO_SUCH_FILE);
    files.delete(from);
    files.set(to, bytes);
    return sftp.status(id, CODE.OK);
  });
}
