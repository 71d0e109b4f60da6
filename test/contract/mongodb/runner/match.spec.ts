import { Binary, Long, ObjectId } from 'bson';
import { type Entities, match } from './match';

const entities: Entities = {
  value: (id) => ({ saved: 7 })[id],
  sessionId: () => ({ id: new Binary(Buffer.alloc(16), 4) }),
};

const matches = (expected: unknown, actual: unknown): boolean => {
  try {
    match(expected, actual, entities);
    return true;
  } catch {
    return false;
  }
};

describe('the matcher of the unified test format', () => {
  it.each([
    ['equal scalars', 'a', 'a', 'b'],
    ['numbers by value, whatever their type', 3, Long.fromNumber(3), Long.fromNumber(4)],
    ['a root document with further keys', { a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    ['an inner document without further keys', { a: { b: 1 } }, { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    ['an array of the same length', [1, 2], [1, 2], [1, 2, 3]],
    ['each document of a root array with further keys', [{ a: 1 }], [{ a: 1, b: 2 }], [{ a: 2, b: 2 }]],
    ['the members of a map', { sort: { x: 1 } }, { sort: new Map([['x', 1]]) }, { sort: new Map([['x', -1]]) }],
    ['$$exists', { a: { $$exists: true } }, { a: null }, {}],
    ['$$exists false', { a: { $$exists: false } }, {}, { a: null }],
    ['$$type', { a: { $$type: ['int', 'string'] } }, { a: 'x' }, { a: true }],
    ['$$unsetOrMatches', { a: { $$unsetOrMatches: 1 } }, {}, { a: 2 }],
    ['$$matchesEntity', { a: { $$matchesEntity: 'saved' } }, { a: 7 }, { a: 8 }],
    ['$$matchesHexBytes', { $$matchesHexBytes: '00ff' }, Buffer.from([0, 255]), Buffer.from([0, 254])],
    [
      '$$sessionLsid',
      { $$sessionLsid: 's' },
      { id: new Binary(Buffer.alloc(16), 4) },
      { id: new Binary(Buffer.alloc(16, 1), 4) },
    ],
    ['identifiers', new ObjectId('0'.repeat(24)), new ObjectId('0'.repeat(24)), new ObjectId('1'.repeat(24))],
  ])('takes %s and nothing else', (_, expected, right, wrong) => {
    expect([matches(expected, right), matches(expected, wrong)]).toEqual([true, false]);
  });

  it('refuses a matcher that it does not know', () => {
    expect(() => match({ $$unheardOf: 1 }, 1, entities)).toThrow(/unknown matcher/);
  });
});
