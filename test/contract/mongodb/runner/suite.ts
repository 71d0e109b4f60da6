import { MongoClient } from 'mongodb';
import { errorMessage } from '../../../../lib/errors';
import { CALIBRATION_LIMITS, type Skip, SKIPS } from '../skips';
import { type Engine, engineName, openEngine } from './engine';
import { CONFORMANCE, conformanceIsHere, loadArea, recordedPasses, type SpecFile, type SpecTest } from './format';
import { applies } from './requirements';
import { runTest } from './run-test';

/** How many tests of an area end in each way; written down so that none can vanish unnoticed. */
export interface Tally {
  /** Run, and must succeed. */
  passed: number;
  /** Run, and must fail as listed in skips.ts. */
  skipped: number;
  /** Written for other servers, by their own `runOnRequirements`. */
  notApplicable: number;
  /** In the older table format, which describes the driver alone and has nothing to send to a server. */
  driverOnly: number;
}

const skipFor = (area: string, file: SpecFile, test: SpecTest): Skip | undefined =>
  SKIPS.find(
    (skip) =>
      skip.area === area &&
      skip.file === file.name &&
      (skip.test === '*' || skip.test === test.description) &&
      (skip.engine === undefined || skip.engine === engineName),
  );

async function expectFailure(run: Promise<void>, skip: Skip): Promise<void> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => ({ message: errorMessage(thrown) }),
  );
  if (error === undefined) throw new Error('this test passes now: take it out of skips.ts');
  expect(error.message).toMatch(skip.error);
}

/** During calibration, failures caused by the real engine's packaging are ignored. */
const tolerateLimits = (run: Promise<void>): Promise<void> =>
  run.catch((thrown: unknown) => {
    if (!CALIBRATION_LIMITS.some((limit) => limit.error.test(errorMessage(thrown)))) throw thrown;
  });

function missingData(area: string): void {
  console.warn(
    `SKIPPED: MongoDB's ${area} specification tests; their data is not at ${CONFORMANCE} (MONGO_CONFORMANCE)`,
  );
  it('skipped: the conformance data is not here', () => expect(conformanceIsHere()).toBe(false));
}

/** Defines a jest suite of every specification test of one area. */
export function describeArea(area: string, expected: Tally): void {
  describe(`MongoDB ${area} specification`, () => {
    if (!conformanceIsHere()) return missingData(area);
    let engine: Engine;
    let client: MongoClient;
    beforeAll(async () => {
      engine = await openEngine();
      client = await new MongoClient(engine.url).connect();
    }, 60_000);
    afterAll(async () => {
      await client?.close();
      await engine?.close();
    });

    const { unified, older } = loadArea(area);
    const tally: Tally = {
      passed: 0,
      skipped: 0,
      notApplicable: 0,
      driverOnly: older.reduce((sum, file) => sum + file.tests, 0),
    };
    const used = new Set<Skip>();
    for (const file of unified) {
      const applicable = file.tests.filter((test) => applies(file, test));
      tally.notApplicable += file.tests.length - applicable.length;
      if (applicable.length === 0) continue;
      describe(file.name, () => {
        for (const test of applicable) {
          const skip = skipFor(area, file, test);
          const run = (): Promise<void> => runTest(engine.url, client, file, test);
          if (skip === undefined) {
            tally.passed += 1;
            it(test.description, engineName === 'real' ? () => tolerateLimits(run()) : run);
          } else {
            tally.skipped += 1;
            used.add(skip);
            it(`skipped (${skip.kind}: ${skip.reason}): ${test.description}`, () => expectFailure(run(), skip));
          }
        }
      });
    }

    it(`is accounted for: ${JSON.stringify(tally)}`, () => {
      const unused = SKIPS.filter(
        (skip) => skip.area === area && !used.has(skip) && (skip.engine ?? engineName) === engineName,
      );
      expect(unused).toEqual([]);
      const recorded = recordedPasses(area);
      const lost = [...used].filter(
        (skip) => skip.engine === 'ours' && skip.kind !== 'refused' && recorded.has(`${skip.file} | ${skip.test}`),
      );
      expect(lost).toEqual([]);
      if (engineName === 'ours') expect(tally).toEqual(expected);
    });
  });
}
