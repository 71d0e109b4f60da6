import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Check, fault, note, ok } from '../finding';

/** Whether the gateway can listen where it is told to. */
export const ports: Check = {
  name: 'port',
  mend: 'Set HOST to an address of this machine, and PORT to one that is free.',
  async run({ config: { host, port, services } }) {
    if (services !== null && !services.includes('api-gateway')) return [ok('this process does not listen')];
    if (port === 0) return [ok('the system picks a free one')];
    const code = await listenFault(host, port);
    if (code === null) return [ok(`${host}:${port} is free`)];
    if (code === 'EADDRINUSE' && (await isOurs(port)))
      return [note(`${host}:${port} is in use by a service that answers like Everstep`)];
    if (code === 'EADDRINUSE')
      return [fault(`${host}:${port} is in use by another program`, 'Stop that one, or set PORT.')];
    if (code === 'EACCES') return [fault(`${host}:${port} may not be used by this user`, 'Set PORT to 1024 or more.')];
    return [fault(`it is not possible to listen on ${host}:${port} (${code})`, ports.mend)];
  },
};

async function listenFault(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return null;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? String(cause);
  }
}

async function isOurs(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) });
    return (await response.text()) === '{"status":"ok"}';
  } catch {
    // Something else, or nothing that speaks HTTP.
    return false;
  }
}
