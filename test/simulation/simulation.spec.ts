import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { explain, firstFind, type Find } from './hunt';
import { MUTANTS } from './mutants';
import { type Plan, planOf } from './plan';
import { shrink } from './shrink';
import { simulate } from './simulate';

const RUN = join(__dirname, '..', 'support', 'run.mjs');
const SEEDS = 2_000;

/** Seeds within which a mutant is noticed. Those that need a rare coincidence have about 1.5 times the seeds that they take. */
const USUAL_BOUND = 400;
const RARE_BOUNDS: Readonly<Record<string, number>> = {
  'a step that is run again though it must not be': 750,
  'shared windows that remember what the last rate counts': 800,
  'permits of runs that are about to be stored, taken from their hosts': 850,
  'runs that begin without the starts taken since they were claimed': 900,
  'permits that are given to new runs while others wait': 1_000,
};

/** What the simulation's own program prints. */
async function printedBy(...args: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [RUN, join(__dirname, 'main.ts'), ...args]);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text: printed.join('') };
}

describe('the simulation', () => {
  it(`finds nothing in ${SEEDS} seeds`, async () => {
    const { code, text } = await printedBy('--seeds', String(SEEDS), '--jobs', '1');
    expect(code === 0 ? '' : text).toBe('');
    expect(text).toContain(`${SEEDS} of ${SEEDS} seeds`);
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

  it('reports a violation with the shortest plan', async () => {
    const mutant = MUTANTS['ends and releases that do not ask whose the run is'];
    const find = (await firstFind(1, 1_000, mutant)) as Find;
    const story = await explain(find, mutant);
    expect(story).toContain(`npm run simulate -- --only ${find.seed}`);
    expect(story).toContain('VIOLATION');
  }, 240_000);
});

describe('the simulation of mutants', () => {
  let seeds: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const { text } = await printedBy('--mutants');
    seeds = new Map(text.split('\n').map((line) => line.split('\t') as [string, string]));
  }, 600_000);

  const bounds = Object.keys(MUTANTS).map((name) => [name, RARE_BOUNDS[name] ?? USUAL_BOUND] as const);

  it.each(bounds)('notices %s within %i seeds', (name, bound) => {
    expect(seeds.get(name)).toMatch(/^\d+$/);
    expect(Number(seeds.get(name))).toBeLessThanOrEqual(bound);
  });

  it('has bounds for mutants that there are', () => {
    expect(Object.keys(RARE_BOUNDS).filter((name) => !Object.hasOwn(MUTANTS, name))).toEqual([]);
  });
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
