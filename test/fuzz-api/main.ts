import { parseArgs } from 'node:util';
import { fuzz } from './fuzz';

/**
 * `npm run fuzz:api -- --requests 20000 --minutes 10 --seed 7 --only workflows`: requests to every operation of the OpenAPI
 * document, from what it says of them. Fails when an answer is not what the document says, or a fault of the service.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      only: { type: 'string', default: '' },
    },
  });
  const seed = Number(values.seed);
  const report = await fuzz({
    requests: Number(values.requests),
    untilMs: Date.now() + Number(values.minutes) * 60_000,
    seed,
    only: values.only,
  });
  const { sent, taken, operations, statuses, faults } = report;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(
    `${sent} requests to ${operations} operations, ${taken} of them taken, seed ${seed}\n${counts.join(', ')}\n`,
  );
  for (const { operation, wrong, count, curl, answer } of faults) {
    process.stdout.write(`\n${operation}: ${wrong} (${count} times)\n${curl}\n${answer}\n`);
  }
  process.stdout.write(`${faults.length} kinds of faults\n`);
  return faults.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (fault: unknown) => {
    process.stderr.write(`${fault instanceof Error ? fault.stack : String(fault)}\n`);
    process.exit(2);
  },
);
