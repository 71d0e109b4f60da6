import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in package.json; found by walking up, since compiled files lie one folder deeper than sources. */
export const VERSION: string = versionAbove(__dirname);

function versionAbove(folder: string): string {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
    };
    if (name === 'everstep') return version;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (dirname(folder) === folder) throw new Error('package.json of everstep was not found');
  return versionAbove(dirname(folder));
}
