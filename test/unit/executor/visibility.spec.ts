import * as fc from 'fast-check';
import { readQuery } from '../../../services/executor/visibility';

const NOW = Date.UTC(2026, 10, 22, 12);

const faultOf = (query: string): { type: string; message: string; position: number } => {
  try {
    readQuery(query, NOW);
  } catch (fault) {
    const { type, message, data } = fault as { type: string; message: string; data: { body: { position: number } } };
    return { type, message, position: data.body.position };
  }
  throw new Error('The query was read');
};

describe('a fault', () => {
  it.each([
    ['ExecutionStatus', 15, 'comparison'],
    ['ExecutionStatus =', 17, 'a value'],
    ['ExecutionStatus = Running', 18, 'needs quotes'],
    ['ExecutionStatus = "Sleeping"', 18, 'no ExecutionStatus'],
    ["WorkflowId = 'a", 13, 'not closed'],
    ['Colour = "red"', 0, 'no field Colour'],
    ['(TriggerType = "api"', 20, 'expected )'],
    ['TriggerType = "api" TriggerType = "http"', 20, 'AND, OR'],
    ['TriggerType < "api"', 0, 'STARTS_WITH'],
    ['StartTime > "yesterday"', 12, 'a time'],
    ['StartTime > "2026-13-01"', 12, 'a time'],
    ['StartTime > now() - ', 20, 'a duration'],
    ['StartTime STARTS_WITH "2026"', 0, 'no text'],
    ['ExecutionDuration > "long"', 20, 'a duration'],
    ['ExecutionDuration > now()', 20, 'a duration'],
    ['StartTime BETWEEN now()', 23, 'AND'],
    ['TriggerType IN ()', 16, 'a value'],
    ['TriggerType IS "x"', 15, 'NULL'],
    ['ORDER BY TriggerType', 9, 'not by TriggerType'],
    ['ORDER BY StartTime DESC DESC', 24, 'the end'],
    ['AND', 0, 'a field'],
    ['TriggerType = "a" ; DROP TABLE runs', 18, 'no meaning'],
    [`${'('.repeat(40)}TriggerType = "a"${')'.repeat(40)}`, 33, 'nest at most'],
    [Array.from({ length: 201 }, () => 'RunId = "x"').join(' OR '), 200 * 15, 'at most 200 conditions'],
    [`RunId IN (${Array.from({ length: 201 }, () => '"x"').join()})`, 10 + 201 * 4 - 1, 'at most 200 values'],
    [' '.repeat(8_193), 8_192, 'at most 8192'],
  ])('of %s is reported with its position', (query, position, words) => {
    const fault = faultOf(query);
    expect(fault).toMatchObject({ type: 'invalid_query', position });
    expect(fault.message).toContain(words);
  });
});

describe('a query', () => {
  it('is read in any case, with either quotes, and backticks around fields', () => {
    const plain = readQuery("TriggerType = 'api' AND NOT WorkflowId = 'x' ORDER BY CloseTime DESC", NOW);
    expect(readQuery('`triggertype`="api" and not workflowid <> "y" order by closetime desc', NOW).sort).toEqual(
      plain.sort,
    );
    expect(readQuery('TRIGGERTYPE = "api"', NOW)).toEqual(readQuery("TriggerType='api'", NOW));
    expect(readQuery(`TriggerType = 'o''clock'`, NOW)).toEqual(readQuery(String.raw`TriggerType = "o'clock"`, NOW));
  });

  it('binds AND tighter than OR', () => {
    const [a, b, c] = ['"a"', '"b"', '"c"'].map((value) => `TriggerType = ${value}`);
    expect(readQuery(`${a} OR ${b} AND ${c}`, NOW)).toEqual(readQuery(`${a} OR (${b} AND ${c})`, NOW));
    expect(readQuery(`(${a} OR ${b}) AND ${c}`, NOW)).not.toEqual(readQuery(`${a} OR ${b} AND ${c}`, NOW));
  });

  it('that is empty selects all runs, newest first', () => {
    expect(readQuery('  ', NOW)).toEqual({ filter: {}, sort: null });
    expect(readQuery('ORDER BY StartTime DESC', NOW)).toEqual({ filter: {}, sort: null });
  });

  it('accepts absolute times and times relative to now', () => {
    const at = (value: string): unknown => readQuery(`StartTime >= ${value}`, NOW).filter;
    expect(at('now() - 1h')).toEqual({ started_at: { $gte: new Date(NOW - 3_600_000) } });
    expect(at('now() + 1d12h')).toEqual({ started_at: { $gte: new Date(NOW + 129_600_000) } });
    expect(at('"2026-11-22T13:00:00+01:00"')).toEqual({ started_at: { $gte: new Date(NOW) } });
    expect(at("'2026-11-22'")).toEqual({ started_at: { $gte: new Date(Date.UTC(2026, 10, 22)) } });
  });

  it.each(['90', '90s', '"1m30s"', "'00:01:30'", '"90"'])('accepts a minute and a half as %s', (value) => {
    expect(readQuery(`ExecutionDuration = ${value}`, NOW).filter).toEqual({ duration_ms: { $in: [90_000] } });
  });

  it('is a filter of literals or a fault, for any text', () => {
    const texts = fc.oneof(fc.string(), fc.constantFrom('$where', '{"$gt": ""}', '__proto__', "' OR '1'='1", '\u0000'));
    fc.assert(
      fc.property(texts, (text) => {
        const { filter } = readQuery(`TriggerType = "${text.replace(/["\\]/g, (found) => `\\${found}`)}"`, NOW);
        expect(filter).toEqual({ trigger_type: text });
      }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        try {
          readQuery(text, NOW);
        } catch (fault) {
          expect((fault as { type: string }).type).toBe('invalid_query');
        }
      }),
    );
  });
});
