import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { type Engine, openEngine } from '../runner/engine';
import { answers } from './answers';
import { COLLECTION, type Scenario, scenario } from './commands';
import { type RealEngine, startRealEngine } from './real-engine';
import { describeDifference, isTolerated } from './tolerated';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);
/** Scenarios left at the end of the time are skipped, so that a busy machine does not fail the test. */
const TIME_LIMIT_MS = 20_000;
const SEED = Number(process.env.FUZZ_SEED ?? 20260801);

/** A dead server is reported soon. */
const connect = ({ url }: Engine): MongoClient => new MongoClient(url, { serverSelectionTimeoutMS: 2000 });

describe('differential: the embedded server answers as the real engine', () => {
  let real: RealEngine;
  let ours: Engine;
  beforeAll(async () => {
    [real, ours] = await Promise.all([startRealEngine(), openEngine()]);
    if (real.kind === 'absent') console.warn(`SKIPPED: differential test against MongoDB's own engine: ${real.reason}`);
  }, 180_000);
  afterAll(async () => {
    await ours?.close();
    if (real?.kind === 'running') await real.engine.close();
  });

  it(`in ${RUNS} generated scenarios`, async () => {
    if (real.kind === 'absent') return expect(real.reason).not.toBe('');
    const clients = [connect(ours), connect(real.engine)] as const;
    const [mine, theirs] = [clients[0].db('differential'), clients[1].db('differential')];
    try {
      await Promise.all([mine.createCollection(COLLECTION), theirs.createCollection(COLLECTION)]);
      const agree = async (one: Scenario): Promise<boolean> => {
        const [got, wanted] = await Promise.all([answers(mine, one), answers(theirs, one)]);
        const asked = ['insert', ...one.indexes, ...one.commands, 'contents'];
        const first = asked.findIndex((_, i) => !isDeepStrictEqual(got[i], wanted[i]));
        if (first < 0) return true;
        const difference = { scenario: one, asked: asked[first] ?? '', ours: got[first], real: wanted[first] };
        if (isTolerated(difference)) return true;
        throw new Error(describeDifference(difference));
      };
      await fc.assert(fc.asyncProperty(scenario, agree), {
        numRuns: RUNS,
        seed: SEED,
        interruptAfterTimeLimit: TIME_LIMIT_MS,
      });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  }, 180_000);
});
