import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildOnce, freePort } from '../support/server';

const ROOT = join(__dirname, '..', '..');
/** Limits of the plan keep a tenant from some of the cases; each must be safe without them. */
const NO_LIMITS = { active_workflows: null, executions_per_month: null, concurrent_executions: null };
const START_MS = 60_000;

/** A stretch without the event loop; `heldMs` is its CPU time less that of full garbage collections. */
export interface Stretch {
  readonly heldMs: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** The real service in a process of its own, with a probe in it that watches its main thread. */
export class Target {
  #lastId = 0;
  readonly #waiting = new Map<number, { resolve(answer: unknown): void; reject(fault: Error): void }>();
  #printed = '';

  private constructor(
    readonly url: string,
    private readonly dataDir: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#printed = (this.#printed + chunk.toString()).slice(-20_000)));
    child.on('message', (message: { id: number; answer?: unknown; fault?: string }) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.fault === undefined) waiting?.resolve(message.answer);
      else waiting?.reject(new Error(message.fault));
    });
    child.once('exit', (code, signal) => {
      const gone = new Error(`The server ended with ${code ?? signal}:\n${this.#printed}`);
      for (const { reject } of this.#waiting.values()) reject(gone);
      this.#waiting.clear();
    });
  }

  /** @throws Error with the output of the server when it does not become ready */
  static async start(env: Readonly<Record<string, string>>): Promise<Target> {
    buildOnce();
    const dataDir = await mkdtemp(join(tmpdir(), 'everstep-stalls-'));
    const plans = join(dataDir, 'plans.json');
    await writeFile(plans, JSON.stringify({ free: NO_LIMITS }));
    const port = await freePort();
    const child = spawn(process.execPath, ['--require', join(__dirname, 'probe.cjs'), join(ROOT, 'start', 'run.mjs')], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        PLANS_FILE: plans,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const target = new Target(`http://127.0.0.1:${port}`, dataDir, child);
    const deadline = Date.now() + START_MS;
    while (!(await isReady(target.url))) {
      if (child.exitCode !== null || Date.now() > deadline) {
        await target.stop();
        throw new Error(`The server did not become ready:\n${target.output}`);
      }
      await sleep(25);
    }
    return target;
  }

  get output(): string {
    return this.#printed;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  reset(): Promise<unknown> {
    return this.#ask('reset');
  }

  /** The longest stretch since `reset`; null when none was long enough to be recorded. */
  async longest(): Promise<Stretch | null> {
    return ((await this.#ask('read')) as { longest: Stretch | null }).longest;
  }

  /** CPU time in milliseconds of so many rounds of a loop on the main thread of the server. */
  async spin(rounds: number): Promise<number> {
    return ((await this.#ask('spin', { rounds })) as { tookMs: number }).tookMs;
  }

  startProfile(): Promise<unknown> {
    return this.#ask('startProfile');
  }

  /** The functions in which the longest stretch since `reset` was spent, from the outermost on. */
  async stopProfile(): Promise<string[]> {
    return ((await this.#ask('stopProfile')) as { frames: string[] }).frames;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await gone;
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }

  #ask(command: string, params: object = {}): Promise<unknown> {
    if (!this.child.connected) return Promise.reject(new Error(`The server has ended:\n${this.#printed}`));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.child.send({ id, command, ...params });
    });
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
}
