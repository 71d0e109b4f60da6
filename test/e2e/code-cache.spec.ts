import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce } from '../support/server';

const MODULE = join(__dirname, '..', '..', 'dist', 'start', 'code-cache.js');

describe('compiled functions of a bundle', () => {
  let folder: string;

  beforeAll(() => buildOnce(), 60_000);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'everstep-code-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What a process prints that runs a bundle which says `word`, then stores what it compiled. */
  function run(word: string, env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: join(folder, 'cache') }): string {
    const bundle = join(folder, 'bundle.js');
    const text = `const say = () => '${word} of ' + require('node:path').basename(__filename); module.exports; console.log(say());`;
    writeFileSync(bundle, text);
    const program = `const cache = require(${JSON.stringify(MODULE)}); cache.runBundle(${JSON.stringify(bundle)}); cache.saveCompiled();`;
    return execFileSync(process.execPath, ['-e', program], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
  }

  function stored(): string[] {
    const cache = join(folder, 'cache');
    const files = readdirSync(cache, { recursive: true, encoding: 'utf8' });
    return files.filter((name) => name.endsWith('.code')).map((name) => join(cache, name));
  }

  it('are stored once, and used by the next process', () => {
    expect(run('first')).toBe('first of bundle.js\n');
    const [file = ''] = stored();
    const { ino } = statSync(file);
    expect(run('first')).toBe('first of bundle.js\n');
    expect(stored()).toEqual([file]);
    // A file that V8 refuses is written anew.
    expect(statSync(file).ino).toBe(ino);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('are replaced when the text changes, even by one of the same length', () => {
    run('first');
    const before = stored();
    expect(run('other')).toBe('other of bundle.js\n');
    expect(stored()).toHaveLength(1);
    expect(stored()).not.toEqual(before);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['damaged', (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 0xff : byte)))],
    ['cut', (bytes) => bytes.subarray(0, 3)],
    ['of another version of V8', (bytes) => Buffer.concat([Buffer.from('other'), bytes])],
  ])('are compiled again when the file is %s', (_, change) => {
    run('first');
    const [file = ''] = stored();
    const whole = readFileSync(file);
    writeFileSync(file, change(whole));
    expect(run('first')).toBe('first of bundle.js\n');
    expect(readFileSync(file).length).toBe(whole.length);
  });

  it('are not stored without a folder, or when frames are mapped to sources', () => {
    expect(run('first', {})).toBe('first of bundle.js\n');
    const env = { NODE_COMPILE_CACHE: join(folder, 'cache'), NODE_OPTIONS: '--enable-source-maps' };
    expect(run('first', env)).toBe('first of bundle.js\n');
    expect(stored()).toEqual([]);
  });
});
