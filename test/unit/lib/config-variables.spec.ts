import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../lib/config';
import { VARIABLES } from '../../../lib/config-variables';

const ROOT = join(__dirname, '..', '..', '..');
const variables = VARIABLES.flatMap((group) => group.variables);
const names = variables.map(({ name }) => name);

const textOf = (folder: string, pattern: RegExp): string =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'))
    .join();

describe('the table of variables', () => {
  it('has every variable that the configuration reads, and no other', () => {
    const source = textOf('lib', /(?:^|[/-])config\.ts$/);
    const read = [...source.matchAll(/(?:read\.\w+|text)\('([A-Z_]+)'|env\.([A-Z_]+)\b/g)].map(([, a, b]) => a ?? b);
    expect(new Set(names)).toEqual(new Set(read));
  });

  it('has every variable that a process reads at run time', () => {
    const asked = new Set<string>();
    const recorded = new Proxy<Record<string, string>>({}, { get: (_, name) => void asked.add(String(name)) });
    readConfig(recorded);
    expect([...asked].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('has every variable that other product code reads', () => {
    const read = ['lib', 'dsl', 'nodes', 'runtime', 'contracts', 'mixins', 'services', 'embedded', 'start'].flatMap(
      (folder) =>
        [...textOf(folder, /\.(?:ts|mjs)$/).matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name = '']) => name),
    );
    expect(read.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('begins with the ten most important variables', () => {
    expect(VARIABLES[0]?.variables).toHaveLength(10);
  });

  it.each(variables.filter((variable) => variable.default !== null))(
    '$name set to its default, $default, changes nothing',
    ({ name, default: value }) => {
      expect(readConfig({ [name]: value as string })).toEqual(readConfig({}));
    },
  );

  it.each(VARIABLES)('$title: every variable is listed once, with a meaning', ({ variables: own }) => {
    expect(own.filter(({ meaning }) => meaning === '' || meaning.includes('|'))).toEqual([]);
    expect(own.filter(({ name }) => names.filter((other) => other === name).length !== 1)).toEqual([]);
  });
});
