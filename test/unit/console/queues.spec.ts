import { limitText, queryOfQueue, usedText } from '../../../console/src/model/queues';
import { readQuery } from '../../../services/executor/visibility';

test('limits are texts', () => {
  expect(limitText({ kind: 'throttle', limit: 60, period_ms: 3_600_000, used: 3 })).toMatch(/^60 starts in 1/);
  expect(limitText({ kind: 'throttle', limit: 1, period_ms: 1_000, used: 0 })).toMatch(/^1 start in 1/);
  expect(limitText({ kind: 'concurrency', limit: 2, period_ms: null, used: 1 })).toBe('2 at a time');
  expect(usedText({ kind: 'concurrency', limit: 2, period_ms: null, used: 1 })).toBe('1 of 2');
});

test('a queue leads to the runs that wait in it', () => {
  const query = queryOfQueue({ kind: 'throttle', workflow_id: 'w' });
  expect(query).toBe('WorkflowType = "w" AND WaitingFor = "throttle"');
  expect(readQuery(query, 0).filter).toMatchObject({ $and: expect.any(Array) });
  expect(queryOfQueue({ kind: 'concurrency', workflow_id: 'w' })).toContain('"slot"');
});
