import { readConfig } from '../../../lib/config';
import { baseUrlFindings, proxyFindings } from '../../../start/doctor/checks/addresses';
import { skewFinding } from '../../../start/doctor/checks/clock';
import { spaceFinding } from '../../../start/doctor/checks/data-folder';
import { compareIndexes, indexOf } from '../../../start/doctor/index-rules';
import { filesFinding, memoryFinding, nodeFinding } from '../../../start/doctor/checks/machine';
import { isOlder } from '../../../start/doctor/checks/nats';
import { workerFindings } from '../../../start/doctor/checks/workers';
import { type Finding, withoutSecrets, worstOf } from '../../../start/doctor/finding';

const MIB = 1024 ** 2;
const addressesOf = (env: Record<string, string>): Finding[] => {
  const config = readConfig({ ...env, DATA_DIR: '/nowhere' });
  return [...baseUrlFindings(config), ...proxyFindings(config)];
};
const severities = (findings: readonly Finding[]): string[] => findings.map(({ severity }) => severity);

describe('a finding of the doctor', () => {
  it.each([
    ['18.20.0', 'fault'],
    ['20.20.2', 'fault'],
    ['22.15.1', 'fault'],
    ['22.16.0', 'ok'],
    ['24.0.0', 'ok'],
  ])('of Node %s is %s', (version, severity) => {
    expect(nodeFinding(version).severity).toBe(severity);
  });

  it.each([
    [1_024, 'warning'],
    [65_536, 'ok'],
    [Number.POSITIVE_INFINITY, 'ok'],
  ])('of %d open files is %s', (limit, severity) => {
    expect(severities(filesFinding(limit))).toEqual([severity]);
  });

  it('does not exist for a system without information', () => {
    expect(filesFinding(null)).toEqual([]);
  });

  it('of low memory and disk space depends on their amounts', () => {
    expect(memoryFinding(512 * MIB).severity).toBe('warning');
    expect([50 * MIB, 500 * MIB, 5_000 * MIB].map((bytes) => spaceFinding('/data', bytes).severity)).toEqual([
      'fault',
      'note',
      'ok',
    ]);
  });

  it.each([
    [1_500, 1_000, 2_000, 'ok'],
    [1_000, 4_000, 4_010, 'warning'],
    [99_000, 1_000, 2_000, 'fault'],
  ])('of a clock that showed %d between %d and %d is %s', (theirs, before, after, severity) => {
    expect(skewFinding(theirs, before, after).severity).toBe(severity);
  });

  it('of executors reports different versions, and missing executors', () => {
    expect(severities(workerFindings([], '2.0.0'))).toEqual(['note']);
    expect(severities(workerFindings(['2.0.0', '2.0.0'], '2.0.0'))).toEqual(['ok']);
    expect(workerFindings(['1.0.0', '2.0.0'], '2.0.0')).toMatchObject([{ severity: 'warning', what: /./ }]);
  });

  it.each<[Record<string, string>, string[]]>([
    [{}, ['ok', 'note']],
    [{ BASE_URL: 'https://a.example', TRUST_PROXY: '10.0.0.1' }, ['ok', 'ok']],
    [{ BASE_URL: 'https://a.example' }, ['ok', 'warning']],
    [{ BASE_URL: 'http://a.example' }, ['warning', 'note']],
    [{ BASE_URL: 'https://u:p@a.example', TRUST_PROXY: '10.0.0.1' }, ['fault', 'ok']],
    [{ BASE_URL: 'https://a.example?x=1', TRUST_PROXY: '0.0.0.0/0' }, ['fault', 'fault']],
    [{ BASE_URL: 'http://localhost:3000', MONGO_URL: 'mongodb://db/x' }, ['warning', 'note']],
    [{ MONGO_URL: 'mongodb://db/x', TRUST_PROXY: '::/0' }, ['warning', 'fault']],
  ])('of the addresses %j is %j', (env, wanted) => {
    expect(severities(addressesOf(env))).toEqual(wanted);
  });

  it('of indexes lists missing, unknown and different ones', () => {
    const index = (name: string, unique = false, text = name) => ({ name, unique, text });
    const wanted = new Map([
      ['a', [index('x'), index('y', true), index('z')]],
      ['unborn', [index('x')]],
    ]);
    const there = new Map([
      ['a', [index('z', false, 'other'), index('w')]],
      ['others', [index('q')]],
    ]);
    expect(compareIndexes(wanted, there).map(({ severity, what }) => [severity, what.split(' ')[0]])).toEqual([
      ['warning', 'a.x'],
      ['fault', 'a.y'],
      ['fault', 'a.z'],
      ['note', 'a.w'],
    ]);
    expect(severities(compareIndexes(wanted, wanted))).toEqual(['ok']);
  });

  it('of an index does not depend on how a server describes it', () => {
    const plain = { v: 2, key: { a: 1, b: -1 }, name: 'x', unique: true };
    const same = {
      name: 'x',
      key: { a: 1, b: -1 },
      unique: true,
      sparse: false,
      ns: 'db.c',
      collation: { locale: 'simple' },
    };
    expect(indexOf(same)).toEqual(indexOf(plain));
    const others = [
      { ...plain, key: { b: -1, a: 1 } },
      { ...plain, unique: false },
      { ...plain, sparse: true },
      { ...plain, collation: { locale: 'de' } },
      { ...plain, expireAfterSeconds: 0 },
      { ...plain, partialFilterExpression: { a: 1 } },
    ];
    for (const other of others) expect(indexOf(other).text).not.toBe(indexOf(plain).text);
  });

  it('has the worst severity of its parts, and contains no passwords', () => {
    expect(worstOf([])).toBe('ok');
    expect(
      worstOf([
        { severity: 'warning', what: '' },
        { severity: 'note', what: '' },
      ]),
    ).toBe('warning');
    expect(withoutSecrets('no way to mongodb+srv://me:pa%40ss@db/x?y=1\n  at all')).toBe(
      'no way to mongodb+srv://***@db/x?y=1 at all',
    );
    expect([isOlder('2.1.9', [2, 2]), isOlder('2.10.0', [2, 2]), isOlder('10.0', [2, 2])]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
