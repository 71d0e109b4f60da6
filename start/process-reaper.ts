import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads lines of process ids, newest first. At the end of input it ends the processes of the last line one by one,
 * since newer processes depend on older ones. Each gets three seconds before SIGKILL.
 */
const SCRIPT = `while read -r line; do pids=$line; done
for pid in $pids; do
  kill -TERM $pid; kill -CONT $pid
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do kill -0 $pid || break; sleep 0.2; done
  kill -KILL $pid
done`;

/**
 * Ends all child processes even when this process is killed. A shell does it, not the children: NATS is a foreign
 * program.
 */
export class ProcessReaper {
  readonly #pids = new Set<number>();
  readonly #shell: ChildProcess;

  constructor() {
    // In its own session: Ctrl-C in a terminal signals every foreground process.
    this.#shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#shell.unref();
    // Without a shell the processes are not reaped.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Reaps the process if this one ends first. */
  watch(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.#pids.add(pid);
    this.#tell();
    child.once('exit', () => {
      this.#pids.delete(pid);
      this.#tell();
    });
  }

  /** Ends the shell, which ends the processes that still run. */
  close(): void {
    this.#shell.stdin?.end();
  }

  #tell(): void {
    this.#shell.stdin?.write(`${[...this.#pids].reverse().join(' ')}\n`);
  }
}
