import { join } from 'node:path';

/** Services whose folder has another name: `executor` and `executions` share the records of runs. */
const FOLDERS: Readonly<Record<string, string>> = { executions: 'executor' };

/** Path of a service's file for Moleculer. `caches` runs in every process, so SERVICES does not list it. */
export const serviceFile = (name: string): string =>
  require.resolve(join(__dirname, '..', 'services', FOLDERS[name] ?? name, `${name}.service`));
