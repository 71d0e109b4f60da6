import { plainText, richText } from '../../../nodes/connectors/notes/rich-text';
import { pageOf, propertiesOf } from '../../../nodes/connectors/notes/values';

/** A lone surrogate. */
const HALF = /\p{Cs}/u;

test.each([0, 1, 1_999, 2_000, 2_001, 5_000])(
  'a text of %d characters comes back whole, in pieces that fit',
  (length) => {
    for (const text of ['a'.repeat(length), '📦'.repeat(length / 2), `a${'📦'.repeat(length / 2)}`]) {
      const pieces = richText(text);
      expect(plainText({ pieces }, 'pieces')).toBe(text);
      for (const piece of pieces) {
        const { content } = (piece as { text: { content: string } }).text;
        expect(content.length).toBeLessThanOrEqual(2_000);
        expect(content).not.toMatch(HALF);
      }
    }
  },
);

test('a lone surrogate does not loop', () => {
  expect(richText('\ud83d'.repeat(4_001)).length).toBeGreaterThan(2);
});

const kinds: Record<string, string> = {
  Name: 'title',
  Price: 'number',
  Done: 'checkbox',
  When: 'date',
  Tags: 'multi_select',
};
const kindOf = (name: string): string | undefined => (Object.hasOwn(kinds, name) ? kinds[name] : undefined);

test.each([
  [{ Name: null }, { Name: { title: [] } }],
  [{ Name: 5 }, { Name: { title: [{ type: 'text', text: { content: '5' } }] } }],
  [{ Price: null }, { Price: { number: null } }],
  [{ Done: 'true' }, { Done: { checkbox: true } }],
  [
    { When: { start: '2026-03-01', end: '2026-03-02' } },
    { When: { date: { start: '2026-03-01', end: '2026-03-02' } } },
  ],
  [{ Tags: null }, { Tags: { multi_select: [] } }],
])('%j is written as %j', (values, properties) => {
  expect(propertiesOf(values, kindOf)).toEqual(properties);
});

test.each([
  [{ Price: '' }, '"Price" must be a number'],
  [{ Price: 'NaN' }, '"Price" must be a number'],
  [{ Done: 1 }, '"Done" must be true or false'],
])('%j is refused', (values, message) => {
  expect(() => propertiesOf(values, kindOf)).toThrow(message);
});

test('a page of an unknown shape is read as far as possible', () => {
  for (const page of [null, 'x', [], { properties: [] }, { properties: { A: null, B: { type: 'title' } } }])
    expect(pageOf(page)).toHaveProperty('values');
});
