import { fuzz } from '../../fuzz-api/fuzz';
import { OPERATIONS } from '../../fuzz-api/description';

/** One request to each operation. Many more, of other seeds: `npm run fuzz:api`. */
test('what is answered is what the OpenAPI document says, and no fault of ours', async () => {
  const { sent, taken, faults } = await fuzz({
    requests: OPERATIONS.length,
    untilMs: Date.now() + 100_000,
    seed: 5,
    only: '',
  });
  expect(faults.map(({ operation, wrong, curl, answer }) => `${operation}: ${wrong}\n${curl}\n${answer}`)).toEqual([]);
  expect(sent).toBe(OPERATIONS.length);
  expect(taken).toBeGreaterThan(OPERATIONS.length / 10);
}, 120_000);
