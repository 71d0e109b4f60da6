import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { explain, firstFind, type Find } from './hunt';
import { MUTANTS } from './mutants';
import { type Plan, planOf } from './plan';
import { shrink } from './shrink';
import { simulate } from './simulate';

const SEEDS = 2_000;

describe('the simulation', () => {
  // In a process of its own: there the same takes half as long as under the test runner.
  it(`finds nothing in ${SEEDS} seeds`, async () => {
    const child = spawn(process.execPath, [join(__dirname, 'run.mjs'), '--seeds', String(SEEDS), '--jobs', '1']);
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code === 0 ? '' : printed.join('')).toBe('');
    expect(printed.join('')).toContain(`${SEEDS} of ${SEEDS} seeds`);
  }, 300_000);

  it('has the same history, to the letter, when a seed is played again', async () => {
    const hashes = async (): Promise<string[]> => {
      const all: string[] = [];
      for (let seed = 1; seed <= 50; seed++) all.push((await simulate(planOf(seed))).hash);
      return all;
    };
    const first = await hashes();
    expect(await hashes()).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  }, 240_000);

  it.each(Object.entries(MUTANTS))(
    'notices %s',
    async (_title, mutant) => {
      expect(await firstFind(1, 1_000, mutant)).not.toBeNull();
    },
    60_000,
  );

  it('tells what it has found by the shortest plan', async () => {
    const mutant = MUTANTS['ends and releases that do not ask whose the run is'];
    const find = (await firstFind(1, 1_000, mutant)) as Find;
    const story = await explain(find, mutant);
    expect(story).toContain(`npm run simulate -- --only ${find.seed}`);
    expect(story).toContain('VIOLATION');
  }, 240_000);
});

describe('shrinking', () => {
  it('keeps of a plan what is needed for its failure, and nothing else', async () => {
    const plan = Array.from({ length: 50 }, (_, seed) => planOf(seed)).find(({ acts }) => acts.length > 8) as Plan;
    const [first, last] = [plan.acts[1], plan.acts.at(-1)];
    const short = await shrink(plan, async ({ acts }) =>
      [first, last].every((act) => acts.some((other) => other === act)),
    );
    expect(short).toMatchObject({ acts: [first, last], rough: 0, lostHints: 0 });
  });
});
