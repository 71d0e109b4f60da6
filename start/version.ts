import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = manifestAbove(__dirname);

/** The version in package.json. */
export const VERSION: string = manifest.version;

/** The minimum version of Node in package.json. */
export const MIN_NODE_VERSION: string = manifest.engines.node.replace('>=', '');

/** Found by walking up, since compiled files lie one folder deeper than sources. */
function manifestAbove(folder: string): Manifest {
  try {
    const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    if (found.name === 'everstep') return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (dirname(folder) === folder) throw new Error('package.json of everstep was not found');
  return manifestAbove(dirname(folder));
}
