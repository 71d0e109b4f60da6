import { sha256 } from '../../../lib/crypto';
import { readBundle } from '../../../services/skills/rules/bundle';
import { hashOf, applyFields } from '../../../services/skills/rules/content';
import { fileView } from '../../../services/skills/rules/files';
import { zip, type ZipFile } from '../../support/zip';

const DEFINITION = '---\nname: fill-forms\ndescription: Fills forms.\nversion: 1.0.0\n---\nDo it.\n';
const definition: ZipFile = { name: 'SKILL.md', content: DEFINITION };
const file = (name: string, content: string | Uint8Array = 'x', more: Partial<ZipFile> = {}): ZipFile => ({
  name,
  content,
  ...more,
});
const faultsOf = (bytes: Uint8Array): string[] => {
  const read = readBundle(bytes);
  return read.kind === 'invalid' ? read.errors.map(({ path, message }) => `${path}: ${message}`) : [];
};
const valueOf = (bytes: Uint8Array) => {
  const read = readBundle(bytes);
  if (read.kind === 'invalid') throw new Error(faultsOf(bytes).join());
  return read.value;
};

const FILES: ZipFile[] = [
  file('scripts/sum.js', 'return input.a + input.b'),
  file('references/rates.md', '# Raten für Österreich\n'),
  file('assets/logo.bin', Uint8Array.from([0, 255, 1])),
];

test('a bundle has its definition at the root', () => {
  const { head, instructions, files, warnings } = valueOf(zip([definition, ...FILES]));
  expect(head).toMatchObject({ name: 'fill-forms', version: '1.0.0' });
  expect([instructions, warnings]).toEqual(['Do it.', []]);
  expect(files.map(fileView)).toEqual([
    { path: 'assets/logo.bin', base64: 'AP8B' },
    { path: 'references/rates.md', content: '# Raten für Österreich\n' },
    { path: 'scripts/sum.js', content: 'return input.a + input.b' },
  ]);
});

test('or in its only folder, next to files of operating systems', () => {
  const inFolder = [definition, ...FILES].map((each) => ({ ...each, name: `fill-forms/${String(each.name)}` }));
  const litter = [
    file('fill-forms/', ''),
    file('fill-forms/scripts/', ''),
    file('__MACOSX/fill-forms/._SKILL.md'),
    file('fill-forms/.DS_Store'),
    file('fill-forms/assets/Thumbs.db'),
  ];
  const plain = valueOf(zip([definition, ...FILES]));
  expect(valueOf(zip([...litter, ...inFolder]))).toEqual(plain);
  const renamed = inFolder.map((each) => ({ ...each, name: String(each.name).replace('fill-forms/', 'other-1.0/') }));
  expect(valueOf(zip(renamed)).warnings).toEqual(['the folder other-1.0 should be named fill-forms']);
});

test('or is only its definition', () => {
  expect(valueOf(Buffer.from(DEFINITION))).toMatchObject({ head: { name: 'fill-forms' }, files: [] });
});

test('names are normalized, so that equal-looking names are equal', () => {
  expect(valueOf(zip([definition, file('references/u\u0308ber.md')])).files[0]?.path).toBe('references/über.md');
});

const MIB = 1024 * 1024;

describe('a hostile bundle', () => {
  test.each<[string, readonly ZipFile[] | Uint8Array, string]>([
    ['a path that climbs', [definition, file('../evil.js')], '../evil.js: the path has a segment . or ..'],
    ['a path that climbs from within', [definition, file('a/../../b')], 'segment . or ..'],
    ['a folder that climbs', [definition, file('../../x/', '')], 'segment . or ..'],
    ['an absolute path', [definition, file('/etc/passwd')], '/etc/passwd: the path begins with a slash'],
    ['a backslash', [definition, file('..\\evil.js')], 'the path has a backslash'],
    ['a drive', [definition, file('C:/evil.js')], 'the path starts with a drive letter'],
    ['a drive without a slash', [definition, file('C:evil.js')], 'the path starts with a drive letter'],
    ['a share', [definition, file('\\\\host\\share')], 'backslash'],
    ['an empty segment', [definition, file('a//b')], 'empty segment'],
    ['a stream of a file', [definition, file('a.txt:evil')], '< > : "'],
    ['a device', [definition, file('scripts/NUL')], 'NUL is a reserved device name'],
    ['a device with an extension', [definition, file('com1.txt')], 'reserved device name'],
    ['a name that ends with a dot', [definition, file('a./b')], 'ends with a dot'],
    ['a name that runs backwards', [definition, file('a\u202etxt.js')], 'control character'],
    ['a line break in a name', [definition, file('a\nb')], 'control character'],
    ['a NUL in a name', [definition, file('a\0b')], 'name cannot be read'],
    ['a name that is no UTF-8', [definition, { name: Buffer.from([0x61, 0xff]), content: 'x' }], 'name cannot be read'],
    ['a name without end', [definition, file(`${'a/'.repeat(20)}x`)], 'segments'],
    [
      'a link',
      [definition, file('scripts/a.js', '/etc/passwd', { mode: 0o120777 })],
      'scripts/a.js: is a symbolic link',
    ],
    [
      'a definition that is a link',
      [file('SKILL.md', '/etc/passwd', { mode: 0o120777 })],
      'SKILL.md: is a symbolic link',
    ],
    ['two files of one name', [definition, file('a'), file('a')], 'two entries named'],
    ['names that differ in case', [definition, file('A.md'), file('a.md')], 'differ only in case'],
    ['a file that is a folder', [definition, file('a'), file('a/b')], 'a is a file and a folder'],
    ['two definitions', [definition, file('skill.md', DEFINITION)], 'more than one SKILL.md'],
    ['no definition', [file('README.md')], 'has no SKILL.md'],
    ['a definition too deep', [file('a/b/SKILL.md', DEFINITION)], 'has no SKILL.md'],
    ['two folders', [file('a/SKILL.md', DEFINITION), file('b/x')], 'has no SKILL.md'],
    [
      'a definition that is no text',
      [file('SKILL.md', Uint8Array.from([0x2d, 0x2d, 0x2d, 0xff]))],
      'is not UTF-8 text',
    ],
    ['a bomb', [definition, file('a', Buffer.alloc(64 * MIB))], 'more than 1048576 bytes'],
    ['a bomb that says it is small', [definition, file('a', Buffer.alloc(8 * MIB), { lies: { size: 10 } })], '"a"'],
    [
      'a bomb of many',
      [definition, ...Array.from({ length: 6 }, (_, n) => file(`a${n}`, Buffer.alloc(MIB)))],
      'bytes in total',
    ],
    [
      'too many files',
      [definition, ...Array.from({ length: 201 }, (_, n) => file(`a${n}`, ''))],
      'more than 200 files',
    ],
    ['too many entries', zip([definition], { count: 65_000 }), 'more than 2000 entries'],
    [
      'an entry over another',
      [definition, file('a', 'x'.repeat(100)), file('b', 'x', { lies: { offset: 0 } })],
      'another name where it lies',
    ],
    ['other bytes than it says', [definition, file('a', 'x', { lies: { crc: 1 } })], 'is damaged'],
    ['another name inside', [definition, file('a', 'x', { localName: 'b' })], 'another name where it lies'],
    ['an encrypted file', [definition, file('a', 'x', { flags: 1 })], 'is encrypted'],
    ['an archive that is cut off', zip([definition, ...FILES]).subarray(0, 200), 'not a ZIP archive'],
    ['nothing at all', new Uint8Array(), 'not a ZIP archive'],
    ['something else', Buffer.from('%PDF-1.7 and so on'), 'not a ZIP archive'],
    ['more than is read', Buffer.alloc(5 * MIB + 1), 'more than 5242880 bytes'],
  ])('with %s is refused with a message', (_title, given, message) => {
    const bytes = given instanceof Uint8Array ? given : zip(given as readonly ZipFile[]);
    expect(faultsOf(bytes).join('\n')).toContain(message);
  });

  test('is refused with every fault and the name of its entry', () => {
    const faults = faultsOf(zip([definition, file('../a'), file('/b'), file('ok.md')]));
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['../a', '/b']);
  });
});

test('arbitrary bytes do not make it throw', () => {
  const sound = zip([definition, ...FILES]);
  for (let at = 0; at < sound.length; at += 3) {
    const bent = Buffer.from(sound);
    bent.writeUInt8((bent.readUInt8(at) + 1 + (at % 254)) % 256, at);
    expect(['valid', 'invalid']).toContain(readBundle(bent).kind);
    expect(['valid', 'invalid']).toContain(readBundle(sound.subarray(0, at)).kind);
  }
});

describe('the hash of a content', () => {
  const content = (change: object = {}) => {
    const fields = { name: 'a', description: 'b', instructions: 'c', files: [{ path: 'x', content: 'é' }], ...change };
    const read = applyFields(fields);
    if (read.kind !== 'valid') throw new Error('invalid');
    return hashOf(read.value.content);
  };

  test('does not depend on the encoding of its parts', () => {
    expect(content({ files: [{ path: 'x', base64: 'w6k=' }] })).toBe(content());
    expect(content({ version: '2.0.0' })).toBe(content());
    const two = [
      { path: 'y', content: '' },
      { path: 'x', content: '1' },
    ];
    expect(content({ files: two })).toBe(content({ files: [...two].reverse() }));
  });

  test('can be computed by clients', () => {
    const file = `{"path":"x","sha256":"${sha256('é')}"}`;
    const canonical = `{"allowed_tools":[],"description":"b","files":[${file}],"instructions":"c","license":null,"metadata":{},"name":"a"}`;
    expect(content()).toBe(sha256(canonical));
  });

  test.each<[string, object]>([
    ['name', { name: 'z' }],
    ['description', { description: 'z' }],
    ['license', { license: 'MIT' }],
    ['metadata', { metadata: { k: 'v' } }],
    ['allowed tools', { allowed_tools: ['Read'] }],
    ['instructions', { instructions: 'z' }],
    ['a path', { files: [{ path: 'y', content: 'é' }] }],
    ['a byte', { files: [{ path: 'x', content: 'è' }] }],
  ])('is another one with another %s', (_part, change) => expect(content(change)).not.toBe(content()));
});

describe('files of a skill that is written by hand', () => {
  test.each<[string, unknown, string]>([
    ['no list', 'x', 'files must be a list'],
    ['no object', ['x'], 'files[0].path must be a text'],
    ['no content', [{ path: 'a' }], 'files[0] must have either'],
    ['both contents', [{ path: 'a', content: 'x', base64: '' }], 'files[0] must have either'],
    ['wrong base64', [{ path: 'a', base64: '***' }], 'files[0] has an invalid "base64"'],
    ['half a character', [{ path: 'a', content: '\ud800' }], 'lone surrogates'],
    ['the definition', [{ path: 'skill.md', content: 'x' }], 'SKILL.md is the definition'],
    ['a path that climbs', [{ path: '../a', content: 'x' }], 'files[0].path the path has a segment'],
    ['too large', [{ path: 'a', content: 'x'.repeat(MIB + 1) }], 'a has more than 1048576 bytes'],
    [
      'the same twice',
      [
        { path: 'a', content: '' },
        { path: 'A', content: '' },
      ],
      'files[1].path',
    ],
  ])('%s is refused with its path', (_title, files, message) => {
    const read = applyFields({ name: 'a', description: 'b', files: files as never });
    expect(read.kind === 'invalid' && read.errors.map((fault) => `${fault.path} ${fault.message}`).join()).toContain(
      message,
    );
  });
});

test('long names of entries are truncated in faults', () => {
  const long = Array.from({ length: 30 }, (_, n) => file(`../${n}${'x'.repeat(60_000)}`));
  const faults = faultsOf(zip([definition, ...long]));
  expect(faults).toHaveLength(30);
  expect(Math.max(...faults.map(({ length }) => length))).toBeLessThan(500);
});
