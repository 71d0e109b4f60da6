import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Check, type Finding, fault, note, ok } from '../finding';

/** Whether the gateway and the metrics server can listen on their ports. */
export const ports: Check = {
  name: 'port',
  mend: 'Set HOST to an address of this machine, and PORT to one that is free.',
  async run({ config: { host, port, metricsPort, services } }) {
    const listens = services === null || services.includes('api-gateway');
    const api = listens ? await lookAt(host, port, 'PORT') : ok('this process does not listen');
    return metricsPort === null ? [api] : [api, await lookAt(host, metricsPort, 'METRICS_PORT')];
  },
};

async function lookAt(host: string, port: number, variable: string): Promise<Finding> {
  if (port === 0) return ok(`the system picks a free one (${variable})`);
  const code = await listenFault(host, port);
  const at = `${host}:${port} (${variable})`;
  if (code === null) return ok(`${at} is free`);
  if (code === 'EADDRINUSE' && (await isOurs(port)))
    return note(`${at} is in use by a service that answers like Everstep`);
  if (code === 'EADDRINUSE') return fault(`${at} is in use by another program`, `Stop it, or set ${variable}.`);
  if (code === 'EACCES') return fault(`${at} may not be used by this user`, `Set ${variable} to 1024 or more.`);
  return fault(`it is not possible to listen on ${at}: ${code}`, ports.mend);
}

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
    const response = await fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(2_000) });
    return (await response.text()).startsWith('{"status":"ok"');
  } catch {
    // Not an Everstep service, or not HTTP.
    return false;
  }
}
