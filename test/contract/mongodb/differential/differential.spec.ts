import { isDeepStrictEqual } from 'node:util';
import { EJSON } from 'bson';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { type Engine, openEngine } from '../runner/engine';
import { answers } from './answers';
import { type Scenario, scenario } from './commands';
import { type RealEngine, startRealEngine } from './real-engine';
import { isTolerated } from './tolerated';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);
const SEED = Number(process.env.FUZZ_SEED ?? 20260801);

describe('differential: the embedded server answers as the real engine', () => {
  let real: RealEngine;
  let ours: Engine;
  beforeAll(async () => {
    [real, ours] = await Promise.all([startRealEngine(), openEngine()]);
    if (real.kind === 'absent') console.warn(`SKIPPED: differential test against MongoDB's own engine: ${real.reason}`);
  }, 90_000);
  afterAll(async () => {
    await ours?.close();
    if (real?.kind === 'running') await real.engine.close();
  });

  it(`in ${RUNS} generated scenarios`, async () => {
    if (real.kind === 'absent') return expect(real.reason).not.toBe('');
    const clients = [new MongoClient(ours.url), new MongoClient(real.engine.url)] as const;
    const [mine, theirs] = [clients[0].db('differential'), clients[1].db('differential')];
    try {
      const agree = async (one: Scenario): Promise<boolean> => {
        const [got, wanted] = await Promise.all([answers(mine, one), answers(theirs, one)]);
        const asked = ['insert', ...one.indexes, ...one.commands, 'contents'];
        const first = asked.findIndex((_, i) => !isDeepStrictEqual(got[i], wanted[i]));
        if (first < 0 || isTolerated(asked[first], got[first], wanted[first])) return true;
        throw new Error(
          `${EJSON.stringify({ documents: one.documents, asked: asked[first] }, { relaxed: false })}\nours: ${JSON.stringify(got[first])}\nreal: ${JSON.stringify(wanted[first])}`,
        );
      };
      await fc.assert(fc.asyncProperty(scenario, agree), {
        numRuns: RUNS,
        seed: SEED,
        interruptAfterTimeLimit: 60_000,
      });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  }, 90_000);
});
