import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('package-lock.json', () => {
  /** Workspaces of this project, which come from the checkout. */
  const isOwn = (path: string): boolean => !/(?:^|\/)node_modules\/(?!@everstep\/)/.test(path);
  const { packages } = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Entry>>;
  };

  it('has every platform of every binary package, without which npm ci refuses it', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !Object.hasOwn(packages, `node_modules/${name}`) && !Object.hasOwn(packages, `${path}/node_modules/${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('vouches for the content of every package', () => {
    const unsure = Object.entries(packages).filter(([path, entry]) => !isOwn(path) && entry.integrity === undefined);
    expect(unsure.map(([path]) => path)).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(300);
  });
});
