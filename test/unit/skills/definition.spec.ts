import type { Validation } from '../../../services/skills/rules/validation';
import { parseDefinition } from '../../../services/skills/rules/definition';
import { nameProblem } from '../../../services/skills/rules/head';

const faultsIn = (checked: Validation<unknown>): string[] =>
  checked.kind === 'invalid' ? checked.errors.map(({ path, message }) => `${path} ${message}`) : [];
const read = (front: string, body = 'Do it.') => parseDefinition(`---\n${front}\n---\n${body}`);
const LEAST = 'name: fill-forms\ndescription: Fills forms.';

test('a definition is its front matter and the instructions below', () => {
  const text = [
    '\ufeff---\r',
    'name: fill-forms\r',
    'description: "Fills forms: all of them."\r',
    'version: 1.10\r',
    'license: MIT\r',
    'metadata:\r',
    '  author: ann\r',
    '  since: 2026-01-01\r',
    '  __proto__: own\r',
    'allowed-tools: Bash(git add *) Read, Write\r',
    'colour: red\r',
    '---\r',
    '\r',
    '# Forms\r',
    '---\r',
    'End.\r',
  ].join('\n');
  const found = parseDefinition(text);
  if (found.kind !== 'valid') throw new Error(faultsIn(found).join());
  const { head, instructions, warnings } = found.value;
  expect(head).toMatchObject({
    name: 'fill-forms',
    description: 'Fills forms: all of them.',
    version: '1.10.0',
    license: 'MIT',
    allowed_tools: ['Bash(git add *)', 'Read', 'Write'],
  });
  expect(Object.entries(head.metadata)).toEqual([
    ['author', 'ann'],
    ['since', '2026-01-01'],
    ['__proto__', 'own'],
  ]);
  expect(({} as { own?: string }).own).toBeUndefined();
  expect(instructions).toBe('# Forms\n---\nEnd.');
  expect(warnings).toEqual(['SKILL.md: "colour" is ignored']);
});

test('name and description are enough; missing instructions cause a warning', () => {
  const found = read(LEAST, '');
  expect(found).toMatchObject({
    kind: 'valid',
    value: { head: { version: null, license: null, metadata: {}, allowed_tools: [] }, instructions: '' },
  });
  expect(found.kind === 'valid' && found.value.warnings).toEqual(['SKILL.md has no instructions']);
});

test.each<[string, string, string]>([
  ['no front matter', '# Hello', 'must begin with a line of three hyphens'],
  ['front matter without an end', '---\nname: a\n', 'has no second line of three hyphens'],
  ['front matter without an end soon', `---\n${'x: y\n'.repeat(10_000)}---\n`, 'more than 16384 characters'],
  ['no name', '---\ndescription: x\n---\n', 'SKILL.md: name is missing'],
  ['no description', '---\nname: x\n---\n', 'SKILL.md: description is missing'],
  ['a blank description', '---\nname: x\ndescription: "  "\n---\n', 'description is empty'],
  ['a long description', `---\nname: x\ndescription: ${'x'.repeat(1_025)}\n---\n`, 'more than 1024 characters'],
  ['a description that is a list', '---\nname: x\ndescription: [a]\n---\n', 'description must be a text'],
  ['a colon without quotes', '---\nname: x\ndescription: a: b\n---\n', '(line 3)'],
  ['a key twice', '---\nname: x\nname: y\n---\n', 'duplicated mapping key'],
  ['a list as front matter', '---\n- a\n---\n', 'not a YAML mapping'],
  ['nothing as front matter', '---\n\n---\n', 'not valid YAML'],
  ['a bomb of aliases', '---\na: &a [x,x]\nb: &b [*a,*a]\nname: x\n---\n', 'not valid YAML'],
  ['a tag of code', '---\nname: !!js/function "function(){}"\n---\n', 'not valid YAML'],
  ['brackets without end', `---\n${'['.repeat(10_000)}\n---\n`, 'not valid YAML'],
  ['several documents', '---\nname: x\n...\n--- \ny: 1\n---\n', 'description is missing'],
  ['a wrong version', `---\n${LEAST}\nversion: latest\n---\n`, 'version must be a version'],
  ['nested metadata', `---\n${LEAST}\nmetadata: {a: {b: c}}\n---\n`, 'metadata.a must be a text'],
  ['metadata that are a text', `---\n${LEAST}\nmetadata: x\n---\n`, 'metadata must be an object'],
  [
    'many metadata',
    `---\n${LEAST}\nmetadata: {${Array.from({ length: 51 }, (_, n) => `k${n}: v`).join()}}\n---\n`,
    'more than 50',
  ],
  ['tools that are an object', `---\n${LEAST}\nallowed-tools: {a: b}\n---\n`, 'allowed_tools must be'],
  ['text that runs backwards', `---\nname: x\ndescription: "a\u202eb"\n---\n`, 'control characters'],
  ['instructions without end', `---\n${LEAST}\n---\n${'x'.repeat(131_073)}`, 'more than 131072 characters'],
  ['a NUL in the instructions', `---\n${LEAST}\n---\na\0b`, 'control characters'],
])('%s is refused', (_title, text, message) => {
  expect(faultsIn(parseDefinition(text)).join('\n')).toContain(message);
});

test('all faults are reported together', () => {
  const faults = faultsIn(parseDefinition('---\nname: Bad Name\nversion: x\nlicense: [a]\n---\n'));
  expect(faults.map((fault) => fault.split(' ')[1])).toEqual(['name', 'description', 'version', 'license']);
});

test.each(['a', 'a-b', '0-1', 'pdf2text', 'x'.repeat(64)])('%s is a name', (name) =>
  expect(nameProblem(name)).toBeNull(),
);
test.each(['', 'A', 'a_b', 'a--b', '-a', 'a-', 'a b', 'x'.repeat(65), 'ä', '../a', 'a\n', 7, null])(
  '%j is no name',
  (name) => expect(nameProblem(name)).not.toBeNull(),
);
