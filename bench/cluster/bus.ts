import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, freePort } from '../server';

/** What a NATS server has taken since its start. */
export interface BusTotals {
  readonly messages: number;
  readonly bytes: number;
}

/** A NATS server that counts its messages (`/varz` of its monitoring port). */
export class Bus {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly monitor: string,
  ) {}

  static async start(): Promise<Bus> {
    const [port, monitor] = [await freePort(), await freePort()];
    const args = ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitor)];
    const path = `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;
    const child = spawn('nats-server', args, { stdio: 'ignore', env: { ...process.env, PATH: path } });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    const bus = new Bus(child, `nats://127.0.0.1:${port}`, `http://127.0.0.1:${monitor}/varz`);
    await Promise.race([bus.#ready(), failed]);
    return bus;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  async totals(): Promise<BusTotals> {
    const { in_msgs: messages, in_bytes: bytes } = (await (await fetch(this.monitor)).json()) as Record<string, number>;
    return { messages: Number(messages), bytes: Number(bytes) };
  }

  stop(): Promise<void> {
    return end(this.child);
  }

  async #ready(): Promise<void> {
    while (
      !(await this.totals().then(
        () => true,
        () => false,
      ))
    )
      await sleep(10);
  }
}
