import { Decimal128, Double, Long, ObjectId } from 'bson';
import { type Pipeline, type PipelineEnv, compilePipeline } from '../../../../embedded/aggregate/pipeline';
import type { Doc, Value } from '../../../../embedded/bson/value';
import { docOf, toEjson } from './bridge';

const ROWS = [
  { _id: 0, k: 'x', v: 1, t: ['p', 'q'] },
  { _id: 1, k: 'x', v: 3.5, t: [] },
  { _id: 2, k: 'y', v: -2 },
  { _id: 3, v: null, t: 's' },
];

const valueOf = (literal: unknown): Value => docOf({ v: literal }).get('v') as Value;

function compile(stages: object[], env: Partial<PipelineEnv> = {}): Pipeline {
  return compilePipeline(valueOf(stages) as Value[], { now: new Date(0), collection: () => ROWS.map(docOf), ...env });
}

const run = (stages: object[], rows: object[] = ROWS, env?: Partial<PipelineEnv>): Doc[] => [
  ...compile(stages, env).run(rows.map(docOf)),
];

const evaluate = (expression: unknown, document: object = { a: 1 }): Value =>
  run([{ $replaceWith: { r: expression } }], [document])[0]?.get('r') as Value;

const expectRows = (actual: Doc[], expected: object[]): void =>
  expect(toEjson(actual)).toBe(toEjson(valueOf(expected)));

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);
const long = (text: string): Long => Long.fromString(text);
const at = (text: string): Date => new Date(text);

describe('expressions keep the types and exactness of MongoDB', () => {
  test.each<[unknown, unknown]>([
    [{ $add: [2147483647, 1] }, long('2147483648')],
    [{ $add: [Long.MAX_VALUE, 1] }, new Double(2 ** 63)],
    [{ $multiply: [2147483647, 2147483647] }, long('4611686014132420609')],
    [{ $divide: [6, 3] }, new Double(2)],
    [{ $mod: [-5, 3] }, -2],
    [{ $pow: [2, 62] }, long('4611686018427387904')],
    [{ $pow: [2, 63] }, new Double(2 ** 63)],
    [{ $pow: [-2, -1] }, -0.5],
    [{ $round: [2.675, 2] }, 2.67],
    [{ $round: [25, -1] }, 20],
    [{ $trunc: [-1.55, 1] }, -1.5],
    [{ $sum: [0.1, 0.2, 0.3] }, 0.6],
    [{ $subtract: [at('1970-01-01T00:00:01Z'), 1] }, at('1970-01-01T00:00:00.999Z')],
    [{ $toString: 1e20 }, '1e+20'],
    [{ $toString: 0.0001 }, '0.0001'],
    [{ $toString: new Double(5) }, '5'],
    [{ $substr: [1234567.5, 0, 20] }, '1.23457e+06'],
    [{ $toInt: -1.9 }, -1],
    [{ $toDate: long('5') }, at('1970-01-01T00:00:00.005Z')],
    [{ $toObjectId: '00000000000000000000000A' }, new ObjectId('00000000000000000000000a')],
    [{ $cmp: [1, decimal('1.0')] }, 0],
    [
      {
        $setUnion: [
          [3, 1, 1],
          [2, [1]],
        ],
      },
      [1, 2, 3, [1]],
    ],
    [{ $indexOfCP: ['aöb', 'b'] }, 2],
    [{ $trim: { input: ' \u00a0x\u2003 ' } }, 'x'],
    [{ $reduce: { input: [1, 2], initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } }, [1, 2]],
    [{ $let: { vars: { a: 1, b: '$a' }, in: ['$$a', '$$b'] } }, [1, 1]],
    [
      { $map: { input: [1, 2], as: 'x', in: { $map: { input: [10], in: { $add: ['$$x', '$$this'] } } } } },
      [[11], [12]],
    ],
    [{ $getField: { field: 'x', input: null } }, null],
    [
      ['$nope', 1],
      [null, 1],
    ],
    [{ x: '$nope', y: 1 }, { y: 1 }],
    ['$$NOW', new Date(0)],
  ])('%j', (expression, expected) => {
    expect(toEjson(evaluate(expression))).toBe(toEjson(valueOf(expected)));
  });
});

describe('dates follow the calendar of their zone', () => {
  test.each<[unknown, unknown]>([
    [{ $dateFromString: { dateString: '2024-10-27 02:30', timezone: 'Europe/Paris' } }, at('2024-10-27T01:30:00Z')],
    [{ $dateFromString: { dateString: 'bad', onError: 'E' } }, 'E'],
    [{ $dateAdd: { startDate: at('2024-01-31T01:30:00Z'), unit: 'month', amount: 1 } }, at('2024-02-29T01:30:00Z')],
    [
      { $dateAdd: { startDate: at('2024-10-26T10:00:00Z'), unit: 'day', amount: 1, timezone: 'Europe/Paris' } },
      at('2024-10-27T11:00:00Z'),
    ],
    [
      {
        $dateDiff: {
          startDate: at('2024-03-30T23:30:00Z'),
          endDate: at('2024-03-31T22:30:00Z'),
          unit: 'day',
          timezone: 'Europe/Paris',
        },
      },
      long('1'),
    ],
    [
      { $dateDiff: { startDate: at('2024-01-07'), endDate: at('2024-01-08'), unit: 'week', startOfWeek: 'monday' } },
      long('1'),
    ],
    [
      { $dateTrunc: { date: at('2024-03-31T05:45:00Z'), unit: 'week', binSize: 2, startOfWeek: 'wed' } },
      at('2024-03-27T00:00:00Z'),
    ],
    [{ $dateTrunc: { date: at('1999-03-31T05:45:00Z'), unit: 'month', binSize: 5 } }, at('1999-03-01T00:00:00Z')],
    [
      { $dateTrunc: { date: at('2024-03-31T05:45:00Z'), unit: 'hour', timezone: 'Asia/Kolkata' } },
      at('2024-03-31T05:30:00Z'),
    ],
    [
      { $dateToString: { date: at('1970-01-01'), format: '%H:%M %z %Z %b %%', timezone: '+05:30' } },
      '05:30 +0530 330 Jan %',
    ],
    [{ $isoWeekYear: at('2021-01-01') }, long('2020')],
    [{ $dayOfWeek: { date: at('1970-01-01'), timezone: 'America/New_York' } }, 4],
  ])('%j', (expression, expected) => {
    expect(toEjson(evaluate(expression))).toBe(toEjson(valueOf(expected)));
  });
});

describe('stages', () => {
  test.each<[string, object[], object[]]>([
    [
      'a group without key puts missing and null together',
      [{ $group: { _id: '$k', n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
      [
        { _id: null, n: 1 },
        { _id: 'x', n: 2 },
        { _id: 'y', n: 1 },
      ],
    ],
    [
      'accumulators ignore what is no number',
      [{ $group: { _id: null, s: { $sum: '$k' }, a: { $avg: '$t' }, m: { $max: '$v' }, p: { $push: '$k' } } }],
      [{ _id: null, s: 0, a: null, m: 3.5, p: ['x', 'x', 'y'] }],
    ],
    ['a counted nothing gives no document', [{ $match: { v: 9 } }, { $count: 'n' }], []],
    [
      'unwind keeps empty ones when asked, with a null index',
      [
        { $unwind: { path: '$t', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
        { $project: { _id: 1, t: 1, i: 1 } },
      ],
      [
        { _id: 0, t: 'p', i: long('0') },
        { _id: 0, t: 'q', i: long('1') },
        { _id: 1, i: null },
        { _id: 2, i: null },
        { _id: 3, t: 's', i: null },
      ],
    ],
    [
      'a lookup by field matches elements, and null with missing',
      [{ $lookup: { from: 'd', localField: 't', foreignField: 't', as: 'j' } }, { $project: { j: '$j._id' } }],
      [
        { _id: 0, j: [0] },
        { _id: 1, j: [2] },
        { _id: 2, j: [2] },
        { _id: 3, j: [3] },
      ],
    ],
    [
      'facets run side by side',
      [{ $facet: { a: [{ $count: 'n' }], b: [{ $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }] } }],
      [{ a: [{ n: 4 }], b: [{ _id: 3 }] }],
    ],
  ])('%s', (_, stages, expected) => {
    expectRows(run(stages), expected);
  });

  test('a sample has the requested size', () => {
    expect(run([{ $sample: { size: 2 } }])).toHaveLength(2);
  });

  test('a limit after a sort keeps the first of many', () => {
    const rows = Array.from({ length: 5000 }, (_, n) => ({ _id: n, v: (n * 7919) % 5000 }));
    expect(run([{ $sort: { v: 1 } }, { $limit: 3 }], rows).map((row) => row.get('v'))).toEqual([0, 1, 2]);
  });

  test('a pipeline can run more than once', () => {
    const pipeline = compile([{ $group: { _id: null, n: { $sum: 1 } } }]);
    const counts = [1, 2].map((size) => [...pipeline.run(ROWS.slice(0, size).map(docOf))][0]?.get('n'));
    expect(counts).toEqual([1, 2]);
  });
});

describe('the analysis of a pipeline', () => {
  test('the leading matches, for an index', () => {
    expect(toEjson(compile([{ $match: { a: 1 } }, { $match: { b: 2 } }, { $limit: 1 }]).match as Doc)).toBe(
      toEjson(docOf({ $and: [{ a: 1 }, { b: 2 }] })),
    );
    expect(compile([{ $limit: 1 }, { $match: { a: 1 } }]).match).toBeUndefined();
  });
});

describe('refusals carry the code of MongoDB', () => {
  test.each<[object[], number]>([
    [[{ $foo: 1 }], 40324],
    [[{ $limit: 1, $skip: 1 }], 40323],
    [[{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
    [[{ $limit: 0 }], 15958],
    [[{ $skip: -1 }], 5107200],
    [[{ $sort: {} }], 15976],
    [[{ $group: {} }], 15955],
    [[{ $group: { _id: 1, a: 1 } }], 40234],
    [[{ $group: { _id: 1, a: { $foo: 1 } } }], 15952],
    [[{ $group: { _id: 1, a: { $sum: ['$v', 1] } } }], 40237],
    [[{ $unwind: 'z' }], 28818],
    [[{ $replaceRoot: { newRoot: '$v' } }], 40228],
    [[{ $lookup: { from: 'x', as: 'y' } }], 9],
    [[{ $lookup: { from: 'x', as: 'y', pipeline: [] } }], 9],
    [[{ $project: {} }], 51272],
    [[{ $addFields: { a: 1, 'a.b': 1 } }], 40176],
  ])('%j with %d', (stages, code) => {
    expect(() => run(stages)).toThrow(expect.objectContaining({ code }));
  });

  test.each<[unknown, number]>([
    [{ $foo: 1 }, 168],
    [{ $cond: [1, 2] }, 16020],
    [{ $slice: [[1]] }, 28667],
    ['$$NOPE', 17276],
    ['$a.$b', 16410],
    ['$a.', 40353],
    [{ $add: ['x'] }, 14],
    [{ $concat: [1, null] }, 16702],
    [{ $divide: [1, 0] }, 2],
    [{ $mod: [1, 0] }, 16610],
    [{ $size: 1 }, 17124],
    [{ $in: [1, 2] }, 40081],
    [JSON.parse('{"$switch":{"branches":[{"case":false,"then":1}]}}'), 40066],
    [{ $toInt: '1.5' }, 241],
    [{ $toLong: '9223372036854775808' }, 241],
    [{ $dateToString: { date: new Date(0), timezone: 'Mars/X' } }, 40485],
    [{ $dateToString: { date: new Date(0), format: '%q' } }, 18536],
    [{ $exp: 1 }, 168],
    [{ $add: [decimal('1'), 1] }, 238],
    [{ $sum: [decimal('1'), 1] }, 238],
    [{ $multiply: [2, decimal('1')] }, 238],
    [{ $round: [decimal('2.5'), 0] }, 238],
    [{ $dateFromString: { dateString: '06-15-2018', format: '%m-%d-%Y' } }, 9],
  ])('%j with %d', (expression, code) => {
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code }));
  });

  test.each<[object, string]>([
    [{ $bucket: {} }, "Unrecognized pipeline stage name: '$bucket'. The built-in store does not have this stage."],
    [{ $out: 'x' }, "Unrecognized pipeline stage name: '$out'. The built-in store does not have this stage."],
    [
      { $set: { a: { $function: {} } } },
      "Unrecognized expression '$function'. The built-in store does not have this operator.",
    ],
    [
      { $group: { _id: 1, a: { $stdDevPop: 1 } } },
      "unknown group operator '$stdDevPop'. The built-in store does not have this accumulator.",
    ],
  ])('%j is refused with the unsupported feature', (stage, message) => {
    expect(() => run([stage])).toThrow(message);
  });
});
