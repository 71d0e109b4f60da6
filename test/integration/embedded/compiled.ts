import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** The store compiled as for production, in a folder of its own, so that its real worker thread can be run. */
export interface Compiled {
  /** Path of the compiled module that exports `openStore`. */
  readonly entryFile: string;
  remove(): void;
}

export function compileStore(): Compiled {
  const dir = mkdtempSync(join(tmpdir(), 'store-build-'));
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
      outDir: join(dir, 'dist'),
      rootDir: root,
      sourceMap: false,
      noCheck: true,
    },
    include: [join(root, 'embedded')],
    exclude: [],
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', dir],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the store does not compile: ${stdout}`);
  return {
    entryFile: join(dir, 'dist', 'embedded', 'index.js'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
