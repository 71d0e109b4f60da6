import { SandboxPool } from '../../../lib/sandbox';

/** Runs one script, closes nothing, and has nothing else to do. */
void new SandboxPool()
  .lane('a')
  .run({ source: 'return 1', globals: {}, timeoutMs: 10_000, signal: new AbortController().signal })
  .then(({ kind }) => process.stdout.write(`${kind}\n`));
