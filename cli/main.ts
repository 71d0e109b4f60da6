import { EXITS } from './exits';
import { runProgram } from './program';
import { harmless } from './terminal';
import { realWorld } from './world';

/** 128 and the number of SIGPIPE: nobody reads what is written, as in `everstep run list | head -1`. */
const BROKEN_PIPE = 141;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault;
  process.exit(BROKEN_PIPE);
});

void runProgram(process.argv.slice(2), realWorld(stopping.signal)).then(
  (exit) => {
    process.exitCode = EXITS[exit];
    // Standard input that nobody reads to its end would keep the process.
    process.stdin.unref?.();
  },
  (fault: unknown) => {
    // Its words may hold those of others.
    const told = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    process.stderr.write(`everstep: ${told.split('\n').map(harmless).join('\n')}\n`);
    process.exitCode = 70;
  },
);
