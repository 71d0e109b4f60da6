import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linePoints, niceMax, stack } from '../../../console/src/model/chart';
import { membersOf, previewOf, sizeOf } from '../../../console/src/model/json-tree';
import { readLanding } from '../../../console/src/model/landing';
import { bestMatches, guideEntries, runIdIn } from '../../../console/src/model/palette';
import { pathParam, textParam, wordParam } from '../../../console/src/model/search-params';
import { slugOf } from '../../../console/src/model/slug';
import { statusLook } from '../../../console/src/model/status';

describe('charts', () => {
  test.each([
    [0, 1],
    [3, 5],
    [17, 20],
    [500, 500],
    [501, 1_000],
  ])('the top of an axis for %i is %i', (value, top) => expect(niceMax(value)).toBe(top));

  test('segments stand on each other, and a small value is seen', () => {
    const [low, high] = stack([{ label: 'a', values: [99_999, 1] }], { width: 100, height: 100, gap: 0 });
    expect(low).toMatchObject({ series: 0, x: 0 });
    expect(high).toMatchObject({ series: 1, height: 1 });
    expect((high?.y ?? 0) + 1).toBeCloseTo(low?.y ?? 0);
  });

  test('a line goes from edge to edge', () => expect(linePoints([0, 5, 10], 80, 20)).toBe('0,20 40,10 80,0'));
});

describe('JSON values', () => {
  test('have members up to a maximum', () => {
    expect(membersOf({ a: 1, b: [1, 2] }, 1)).toEqual([{ key: 'a', value: 1, size: null }]);
    expect([sizeOf([1, 2]), sizeOf({}), sizeOf('text')]).toEqual([2, 0, null]);
  });

  test('have a preview in one line', () => {
    expect([[1], {}, { a: 1, b: 2, c: 3, d: 4, e: 5 }, 'x'.repeat(200)].map(previewOf)).toEqual([
      '[1 item]',
      '{}',
      '{ a, b, c, d, … }',
      `"${'x'.repeat(79)}…`,
    ]);
  });
});

describe('the fragment of a redirect', () => {
  test.each([
    ['#token=abc', { kind: 'token', token: 'abc' }],
    [
      '#error=sign_in_failed&error_description=Too+late',
      { kind: 'error', code: 'sign_in_failed', message: 'Too late' },
    ],
    ['#oauth_connection=1', { kind: 'connected', id: '1' }],
    ['#oauth_claim=1', { kind: 'claim', code: '1' }],
    ['#billing=success', { kind: 'billing', outcome: 'success' }],
    ['#token=', null],
    ['#content', null],
    [
      '#error=second_factor_challenge&challenge=c1&methods=totp+recovery_code',
      { kind: 'challenge', challenge: { challenge: 'c1', methods: ['totp', 'recovery_code'] } },
    ],
  ])('%s', (fragment, landing) => expect(readLanding(fragment)).toEqual(landing));
});

describe('the palette of guides and runs', () => {
  it('finds the id of a run in a text that was copied with it', () => {
    expect(runIdIn('run 0190C0DE-0000-7000-8000-00000000abcd failed')).toBe('0190c0de-0000-7000-8000-00000000abcd');
    expect(runIdIn('0190c0de-0000')).toBeNull();
  });

  it('lists guides and their headings, and nothing of an answer of another shape', () => {
    const headings = [{ id: 'pausing', text: 'Pausing' }, { id: 1 }];

    expect(guideEntries({ data: [{ name: 'schedules', title: 'Schedules', headings }, { name: 'x' }, null] })).toEqual([
      { label: 'Schedules', address: '/docs/guides/schedules' },
      { label: 'Schedules: Pausing', address: '/docs/guides/schedules#pausing' },
    ]);
    expect(guideEntries({ data: 'none' })).toEqual([]);
  });
});

describe('the palette', () => {
  const entries = [{ label: 'Sign out', keywords: 'log out' }, { label: 'Settings' }, { label: 'Runs' }];
  test.each([
    ['log', ['Sign out']],
    ['s', ['Sign out', 'Settings', 'Runs']],
    ['out sign', ['Sign out']],
    ['none', []],
    ['', ['Sign out', 'Settings', 'Runs']],
  ])('%s', (query, labels) => expect(bestMatches(entries, query, 9).map(({ label }) => label)).toEqual(labels));
});

test('search params are texts, known words and paths within the console', () => {
  expect([textParam({ q: 5 }, 'q'), textParam({ q: '' }, 'q'), textParam({ q: {} }, 'q')]).toEqual([
    '5',
    undefined,
    undefined,
  ]);
  expect([wordParam({ tab: 'log' }, 'tab', ['log']), wordParam({ tab: 'x' }, 'tab', ['log'])]).toEqual([
    'log',
    undefined,
  ]);
  expect(
    ['/runs?x=1', '//evil.example', '/\\evil.example', 'https://evil.example'].map((next) =>
      pathParam({ next }, 'next'),
    ),
  ).toEqual(['/runs?x=1', undefined, undefined, undefined]);
});

test('the address of a workspace is made of its name', () =>
  expect(slugOf(' Acme & Söhne GmbH ')).toBe('acme-sohne-gmbh'));

test('a status that is not known is shown as it is', () =>
  expect(statusLook('in_review')).toEqual({ tone: 'neutral', label: 'In review' }));

test('the dark theme has the same values where the system and where the user has chosen it', () => {
  const css = readFileSync(join(__dirname, '../../../console/src/ui/tokens.css'), 'utf8');
  const block = (selector: string): string[] => {
    const from = css.indexOf('{', css.indexOf(selector)) + 1;
    return css
      .slice(from, css.indexOf('}', from))
      .trim()
      .split(/\s*\n\s*/);
  };
  expect(block(':root[data-theme="dark"]')).toEqual(block(':root:not([data-theme="light"])'));
  expect(block(':root[data-theme="dark"]').length).toBeGreaterThan(30);
});
