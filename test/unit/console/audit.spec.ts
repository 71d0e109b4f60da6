import { actorText, changesOf, valueText } from '../../../console/src/model/audit';

describe('what an event has changed', () => {
  it('is each value that differs, by its path', () => {
    expect(changesOf({ role: 'member', name: 'a' }, { role: 'viewer', name: 'a' })).toEqual([
      { path: 'role', before: 'member', after: 'viewer' },
    ]);
    expect(changesOf({ oidc: { issuer: 'a', scopes: ['x'] } }, { oidc: { issuer: 'a', scopes: ['x', 'y'] } })).toEqual([
      { path: 'oidc.scopes', before: ['x'], after: ['x', 'y'] },
    ]);
  });

  it('is everything of a new or removed thing', () => {
    expect(changesOf(null, { name: 'a', of: { n: 1 } })).toEqual([
      { path: 'name', before: undefined, after: 'a' },
      { path: 'of.n', before: undefined, after: 1 },
    ]);
    expect(changesOf({ name: 'a' }, null)).toEqual([{ path: 'name', before: 'a', after: undefined }]);
    expect(changesOf(null, null)).toEqual([]);
  });

  it('is the whole value where it becomes another kind of value', () => {
    expect(changesOf({ oidc: null }, { oidc: { issuer: 'a' } })).toEqual([
      { path: 'oidc', before: null, after: { issuer: 'a' } },
    ]);
  });

  it('takes names of own values alone', () => {
    expect(changesOf({}, JSON.parse('{"toString": 1, "__proto__": 2}') as Record<string, number>)).toEqual([
      { path: 'toString', before: undefined, after: 1 },
      { path: '__proto__', before: undefined, after: 2 },
    ]);
  });

  it('is shown as text', () => {
    expect([valueText('a'), valueText(['a']), valueText(null), valueText(undefined)]).toEqual([
      'a',
      '["a"]',
      'null',
      '',
    ]);
    const unnamed = { email: null, id: null };
    expect(actorText({ type: 'service', ...unnamed })).toBe('Everstep');
    expect(actorText({ type: 'anonymous', ...unnamed })).toBe('a public link');
    expect(actorText({ type: 'user', id: 'u', email: 'a@b.c' })).toBe('a@b.c');
  });
});
