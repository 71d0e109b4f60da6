import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads which processes there are, the newest first; when what it reads from comes to its end, ends those that it was
 * told of last, one after the other, as the newer ones lean on the older. Each gets three seconds to go by itself.
 */
const SCRIPT = `while read -r line; do pids=$line; done
for pid in $pids; do
  kill -TERM $pid; kill -CONT $pid
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do kill -0 $pid || break; sleep 0.2; done
  kill -KILL $pid
done`;

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
    this.#shell.stdin?.write(`${[...this.#pids].reverse().join(' ')}\n`);
  }
}
