import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { sliceWork } from '../../../../lib/compute/time-slice';
import { Pattern, PATTERN_LIMITS, patternOf } from '../../../../lib/regex';
import { longestStretchMs } from '../../../support/longest-stretch';

const compiled = (source: string): Pattern => {
  const pattern = patternOf(source);
  if (!(pattern instanceof Pattern)) throw new Error(`${source} is ${pattern}`);
  return pattern;
};

const LONG = 'ab'.repeat(50_000);

describe('patterns', () => {
  it.each([
    ['x'.repeat(PATTERN_LIMITS.length + 1), 'too_long'],
    ['a{0,1000}'.repeat(111), 'too_large'],
    [`(?i)${'\\pL'.repeat(300)}`, 'too_large'],
    ['(?=a)', 'invalid'],
    ['(', 'invalid'],
    ['a{1001}', 'invalid'],
  ])('refuses %p', (source, refusal) => {
    expect(patternOf(source)).toBe(refusal);
    expect(patternOf(source)).toBe(refusal);
  });

  it('refuses expensive patterns before it compiles them', async () => {
    const fastest = await longestStretchMs(() => patternOf(`x${'a{0,1000}'.repeat(4)}`));
    const refused = await longestStretchMs(() => {
      for (let n = 0; n < 10; n++) patternOf(`${n}${'a{0,1000}'.repeat(110)}`);
    });
    // Ten times a hundred repetitions, each time a new pattern, take less than four of them compiled once.
    expect(refused).toBeLessThan(fastest * 2 + 20);
  });

  it('caches compiled patterns', () => {
    expect(patternOf('kept{3}')).toBe(patternOf('kept{3}'));
    expect(patternOf('\\u0041', 'javascript')).not.toBe(patternOf('\\x{0041}'));
  });

  it('has the same matches in short and long texts, with groups and without', () => {
    const text = fc.string({ maxLength: 40, unit: fc.constantFrom('a', 'b', '1', ' ', 'é', '😀') });
    const sources = ['(a+)(b)?', '\\b\\pL{2,}', '(?P<digits>\\d+)\\s(.)', 'a(.)c|b', '^$', '(😀)+'];
    fc.assert(
      fc.property(text, fc.constantFrom(...sources), fc.nat(2_000), (found, source, before) => {
        const whole = ' '.repeat(before) + found;
        const plain = RE2JS.compile(source);
        const pattern = compiled(source);
        expect(pattern.test(whole)).toBe(plain.test(whole));
        const exec = plain.exec(whole);
        expect(pattern.groups(whole)).toEqual(exec === null ? null : Array.from(exec, (group) => group ?? null));
      }),
      { numRuns: 500 },
    );
  });

  it('returns named groups', () => {
    const pattern = compiled('(?P<year>\\d{4})-(?P<month>\\d\\d)');
    expect(pattern.groupCount).toBe(2);
    expect([pattern.hasGroup('year'), pattern.hasGroup('day')]).toEqual([true, false]);
    expect(pattern.namedGroup(`${LONG} 2026-11`, 'month')).toBe('11');
    expect(pattern.namedGroup(LONG, 'month')).toBeNull();
    expect(pattern.namedGroup('2026-11', 'day')).toBeNull();
  });

  it.each([
    ['a test', (pattern: Pattern) => pattern.test(`${LONG}c`)],
    ['groups', (pattern: Pattern) => pattern.groups(`${LONG}c`)],
  ])('can be interrupted in the middle of %s, and matches as before afterwards', (_title, match) => {
    const pattern = compiled('(a|b)*a(a|b){40}c');
    expect(sliceWork(() => match(pattern), 5)).toEqual({ kind: 'too_long' });
    expect(pattern.test('abababac')).toBe(false);
    expect(pattern.test(`a${'b'.repeat(40)}c`)).toBe(true);
    expect(pattern.groups(`a${'b'.repeat(40)}c`)?.[2]).toBe('b');
  });

  it('does not start in a slice that is too short', () => {
    expect(sliceWork(() => patternOf(`y${'a{0,1000}'.repeat(4)}`), 1)).toEqual({ kind: 'too_long' });
    expect(patternOf(`y${'a{0,1000}'.repeat(4)}`)).toBeInstanceOf(Pattern);
  });

  it('does not keep caches of long texts', () => {
    const pattern = compiled('(a|b)*a(a|b){12}c');
    let text = '';
    for (let n = 0, seed = 1; n < 20_000; n++) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      text += (seed >> 16) % 2 === 0 ? 'a' : 'b';
    }
    pattern.test(`${text}c`);
    const { lazyDFA } = (pattern as unknown as { regex: RE2JS }).regex.re2() as unknown as { lazyDFA: unknown };
    expect(lazyDFA === null).toBe(true);
  });
});
