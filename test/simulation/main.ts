/**
 * `npm run simulate -- [--seeds N] [--from N] [--jobs N] [--only SEED] [--mutants]`: plays seeds, prints the progress, and
 * explains the first violation of each kind. With `--only` it prints the whole history of one seed; with
 * `--mutants`, the first seed that detects each mutant.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explain, type Find, firstFind, outcomeOf, play } from './hunt';
import { MUTANTS } from './mutants';
import { planOf } from './plan';

const RUN = join(__dirname, '..', 'support', 'run.mjs');
/** Number of seeds in a worker's batch. */
const BATCH = 100;
const TELL_EVERY_MS = 5_000;
/** Number of seeds within which a mutant must be detected. */
const SEEDS_PER_MUTANT = 1_000;

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly jobs: number;
  readonly only: number | null;
  readonly mutants: boolean;
}

function optionsOf(argv: string[]): Options {
  const text = { type: 'string' } as const;
  const mutants = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ args: argv, options: { seeds: text, from: text, jobs: text, only: text, mutants } });
  const number = (name: 'seeds' | 'from' | 'jobs' | 'only', otherwise: number): number => {
    const value = Number(values[name] ?? otherwise);
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
    return value;
  };
  return {
    seeds: number('seeds', 10_000),
    from: number('from', 1),
    jobs: Math.max(1, number('jobs', cpus().length)),
    only: values.only === undefined ? null : number('only', 0),
    mutants: values.mutants,
  };
}

async function showOne(seed: number): Promise<boolean> {
  const { lines, violations, hash } = await outcomeOf(planOf(seed), {}, true);
  console.log(lines.join('\n'));
  console.log(`Seed ${seed}, history ${hash}: ${violations.length === 0 ? 'as it must be' : 'broken'}`);
  const [first] = violations;
  if (first !== undefined) console.log(await explain({ seed, ...first }));
  return violations.length === 0;
}

/** Prints the seed that detects each mutant, one line each: its name, a tab, the seed or a dash. */
async function noticeMutants(): Promise<boolean> {
  let all = true;
  for (const [name, mutant] of Object.entries(MUTANTS)) {
    const find = await firstFind(1, SEEDS_PER_MUTANT, mutant);
    all &&= find !== null;
    console.log(`${name}\t${find?.seed ?? '-'}`);
  }
  return all;
}

/** Plays the batches that the parent process sends, until it sends no more. */
function work(): void {
  process.on('message', (from: number) => {
    void (async () => {
      const finds: Find[] = [];
      for (let seed = from; seed < from + BATCH; seed++) {
        const find = await play(seed);
        if (find !== null) finds.push(find);
      }
      process.send?.(finds);
    })();
  });
}

async function hunt({ seeds, from, jobs }: Options): Promise<boolean> {
  const began = performance.now();
  const finds: Find[] = [];
  let next = from;
  let played = 0;
  const tell = (): void => {
    const rate = played / ((performance.now() - began) / 1_000);
    const left = rate > 0 ? Math.round((seeds - played) / rate) : 0;
    console.log(`${played} of ${seeds} seeds, ${rate.toFixed(0)} a second, ${left} s to go, ${finds.length} found`);
  };
  const telling = setInterval(tell, TELL_EVERY_MS);
  const worker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child: ChildProcess = fork(RUN, [__filename, '--worker']);
      const give = (): void => {
        if (next >= from + seeds) return child.disconnect();
        child.send(next);
        next += BATCH;
      };
      child.on('message', (found: Find[]) => {
        played += BATCH;
        finds.push(...found);
        for (const { seed, rule } of found) console.log(`Seed ${seed} breaks "${rule}"; it is explained at the end`);
        give();
      });
      child.on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A worker ended with ${code}`))));
      give();
    });
  await Promise.all(Array.from({ length: jobs }, worker)).finally(() => clearInterval(telling));
  tell();
  const kinds = new Map(finds.toReversed().map((find) => [find.rule, find]));
  for (const find of kinds.values()) console.log(await explain(find));
  for (const { seed, rule, what } of finds) console.log(`${seed}: ${rule}: ${what.split('\n')[0]}`);
  return finds.length === 0;
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv[0] === '--worker') return work();
  const options = optionsOf(argv);
  const well = options.mutants
    ? await noticeMutants()
    : options.only === null
      ? await hunt(options)
      : await showOne(options.only);
  process.exitCode = well ? 0 : 1;
}

void main();
