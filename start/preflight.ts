import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../lib/config';

/** Finds faults that would only stop the start at its end, before anything is opened. @throws ConfigError */
export async function preflight(config: Config): Promise<void> {
  const faults: string[] = [];
  const serves = config.services === null || config.services.includes('api-gateway');
  if (serves) faults.push(...(await portFault('PORT', config.host, config.port)));
  if (config.metricsPort !== null) faults.push(...(await portFault('METRICS_PORT', config.host, config.metricsPort)));
  if (config.mongoUrl === null) faults.push(...folderFault(config.dataDir));
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Why a port cannot be listened on; empty when it can, or when the system chooses the port. */
export async function portFault(variable: string, host: string, port: number): Promise<string[]> {
  if (port === 0) return [];
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return [];
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    const at = `${variable} ${port}`;
    if (code === 'EADDRINUSE')
      return [`${at} is in use by another program: stop it, or set ${variable} to another port`];
    if (code === 'EACCES') return [`${at} needs rights that this user does not have: set ${variable} to 1024 or more`];
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return [`HOST ${host} is not an address of this machine: unset it to listen on all addresses`];
    throw fault;
  }
}

function folderFault(folder: string): string[] {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (fault) {
    const reason = REASONS[(fault as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw fault;
    return [`DATA_DIR ${folder} ${reason}: make it writable for this user, or set DATA_DIR to another folder`];
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
  EROFS: 'is on a file system that is read-only',
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'is a file, or is inside one',
};
