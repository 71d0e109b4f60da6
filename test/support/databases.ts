import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Certificate } from './certificate';
import { type Daemon, MARIADB, onPath, POSTGRES, startDaemon, unprivileged } from './daemons';

const run = promisify(execFile);

/** The user of the test databases, with all privileges. */
export const ADA = { user: 'ada', password: 'sesame', database: 'ada' } as const;

/**
 * A PostgreSQL server for the test, with the user Ada; with a certificate it accepts TLS. Its dates are in German format and
 * its time zone is India's, so that no test depends on a default. Null, with a warning, where the program is missing.
 */
export const startOwnPostgres = (certificate: Certificate | null = null): Promise<Daemon | null> =>
  startDaemon(POSTGRES, undefined, async (dir, port) => {
    const data = join(dir, 'data');
    if (!existsSync(data)) {
      const password = await file(dir, 'password', ADA.password);
      const options = ['-U', ADA.user, '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--locale=C', '-N'];
      await run(onPath('initdb') ?? 'initdb', ['-D', data, ...options], { cwd: dir, ...unprivileged() });
      await bootstrap(dir, data);
    }
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: dir,
      fsync: 'off',
      timezone: 'Asia/Kolkata',
      datestyle: 'German',
      ...(await tlsFiles(dir, certificate, (name) => `ssl_${name}_file`)),
      ...(certificate === null ? {} : { ssl: 'on' }),
    };
    return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  });

/** Creates Ada's database, without a server that listens. */
const bootstrap = async (dir: string, data: string): Promise<void> => {
  const single = run(onPath('postgres') ?? 'postgres', ['--single', '-D', data, 'postgres'], {
    cwd: dir,
    ...unprivileged(),
  });
  single.child.stdin?.end(`create database ${ADA.database}\n`);
  await single;
};

/** A MariaDB server for the test, likewise. */
export const startOwnMariadb = (certificate: Certificate | null = null): Promise<Daemon | null> =>
  startDaemon(MARIADB, undefined, async (dir, port) => {
    const data = join(dir, 'data');
    if (!existsSync(data)) {
      const options = [
        `--datadir=${data}`,
        '--no-defaults',
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ];
      await run('mariadb-install-db', options, { cwd: dir, ...unprivileged() });
    }
    const first = await file(
      dir,
      'init.sql',
      `create database if not exists ${ADA.database};
       create user if not exists '${ADA.user}'@'%' identified by '${ADA.password}';
       grant all on *.* to '${ADA.user}'@'%';\n`,
    );
    const tls = await tlsFiles(dir, certificate, (name) => `ssl-${name}`);
    return [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(dir, 'm.sock')}`,
      `--pid-file=${join(dir, 'pid')}`,
      `--init-file=${first}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--skip-name-resolve',
      ...Object.entries(tls).map(([name, value]) => `--${name}=${value}`),
    ];
  });

async function tlsFiles(
  dir: string,
  certificate: Certificate | null,
  setting: (name: string) => string,
): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const [name, text] of Object.entries(certificate ?? {})) {
    settings[setting(name)] = await file(dir, `${name}.pem`, text as string);
  }
  return settings;
}

/** A file in the folder of a server, which the server alone may read. */
async function file(dir: string, name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text, { mode: 0o600 });
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  return path;
}
