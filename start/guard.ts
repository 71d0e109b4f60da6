import { type ChildProcess, spawn } from 'node:child_process';

/** What ignores SIGTERM for longer than steps in flight get at an orderly stop is killed. */
const GRACE_SECONDS = 12;

/** Reads which processes there are; ends the last ones that it was told of when what it reads from comes to its end. */
const SCRIPT = `while read -r line; do pids=$line; done
[ -z "$pids" ] && exit
kill -TERM $pids; kill -CONT $pids; sleep ${GRACE_SECONDS}; kill -KILL $pids`;

/**
 * Sees to it that no process is left behind, also when this one is killed and cannot see to anything any more. A shell
 * does it rather than the processes themselves, as not all of them are ours.
 */
export class Guard {
  readonly #pids = new Set<number>();
  readonly #shell: ChildProcess;

  constructor() {
    // A session of its own: Ctrl-C in a terminal goes to every process of the foreground.
    this.#shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#shell.unref();
    // Where there is no shell, processes are merely not guarded.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Guards a process until it ends. */
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

  /** Ends the shell, and what it still guards. */
  close(): void {
    this.#shell.stdin?.end();
  }

  #tell(): void {
    this.#shell.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}
