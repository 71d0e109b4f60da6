import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf, wordFaults } from '../../support/banned-words';
import { CLEAN_PATHS, UNCHECKED_PATHS } from '../../support/word-exceptions';

const ROOT = join(__dirname, '..', '..', '..');

describe('the check of words', () => {
  it.each([
    ['a name', 'export interface NodeMeans {'],
    ['a part of a name', 'const doorKeeper = 1;'],
    ['a constant', 'const MENU_OF = 1;'],
    ['a file name', "import { close } from './door-lock';"],
    ['a comment', '// The caller is told of it.'],
    ['a message', "throw new Error('There is trouble with the bus');"],
    ['a page', 'A run waits for ever, unless it has a timeout.'],
    ['a noun', 'The step has no other means of it.'],
    ['a limit', 'const MOST_BYTES = 1024;'],
    ['a phrase', '// A newer revision takes the place of the old one.'],
    ['a limit inside of a line', 'if (size > LONGEST_NAME) return;'],
  ])('finds a banned word in %s', (_where, line) => {
    expect(wordFaults(line)).toHaveLength(1);
  });

  it.each([
    'The status 404 means that there is no such run.',
    'const outdoors = indoorPlants.length;',
    'const MAX_BODY_BYTES = 1024;',
    'See the section on troubleshooting.',
  ])('accepts: %s', (line) => {
    expect(wordFaults(line)).toEqual([]);
  });

  it('names the file, the line and a better word', () => {
    expect(faultsOf('docs/a.md', 'one\nthe door', [])).toEqual(['docs/a.md:2: "door" is a banned word; use: endpoint']);
  });

  it('accepts a line that has an exception in its file', () => {
    const exception = { file: 'k8s/pod.yaml', line: 'user: nobody', reason: 'the name of a Linux user' };
    const used = new Set<typeof exception>();
    expect(faultsOf('k8s/pod.yaml', 'user: nobody', [exception], used)).toEqual([]);
    expect(used.has(exception)).toBe(true);
    expect(faultsOf('k8s/pod.yaml', 'group: nobody', [exception])).toHaveLength(1);
    expect(faultsOf('k8s/other.yaml', 'user: nobody', [exception])).toHaveLength(1);
  });

  it('has no path that does not exist', () => {
    expect([...CLEAN_PATHS, ...UNCHECKED_PATHS].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
