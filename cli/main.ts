import { EXITS } from './exits';
import { runProgram } from './program';
import { harmless } from './terminal';
import { realWorld } from './world';

/** 128 plus the number of SIGPIPE: the reader has closed, as in `everstep run list | head -1`. */
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
    // Unread standard input would keep the process running.
    process.stdin.unref?.();
  },
  (fault: unknown) => {
    // Fatal messages may contain escape sequences of a server.
    const text = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    process.stderr.write(`everstep: ${text.split('\n').map(harmless).join('\n')}\n`);
    process.exitCode = 70;
  },
);
