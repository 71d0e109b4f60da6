import { type Migration, MIGRATIONS, pendingOf, refusalOf } from '../../../lib/migrations';

const step = (number: number, kind: Migration['kind'] = 'expand'): Migration => ({
  number,
  name: `step ${number}`,
  kind,
  run: async () => undefined,
});

describe('the steps of this version', () => {
  it('have unique numbers and names', () => {
    const numbers = MIGRATIONS.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    expect(MIGRATIONS.every(({ name }) => name.length > 5)).toBe(true);
  });
});

describe('what is to be done', () => {
  const steps = [step(3), step(1), step(2, 'contract')];
  it.each([
    ['what is not done yet, in order', [], ['expand'], [1, 3]],
    ['nothing that is done', [1, 3], ['expand'], []],
    ['what only older versions need, where it is asked for', [1], ['expand', 'contract'], [2, 3]],
  ] as const)('is %s', (_what, done, kinds, wanted) => {
    expect(pendingOf(steps, new Set(done), kinds).map(({ number }) => number)).toEqual(wanted);
  });
});

describe('data', () => {
  it('is rejected by a program without the fencing step, with a message that names the version to start', () => {
    const fence = { _id: 'fence', needs: 4, version: '0.9.0' } as const;
    expect(refusalOf(null, [step(1)], '0.1.0')).toBeNull();
    expect(refusalOf(fence, [step(1), step(4)], '0.9.0')).toBeNull();
    expect(refusalOf(fence, [step(1)], '0.1.0')).toMatch(/0\.9\.0.*0\.1\.0.*start 0\.9\.0 or a newer one/);
  });
});
