import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `check` returns a truthy value, and returns it. @throws Error naming the condition, after `withinMs` */
export async function until<T>(what: string, check: () => T | Promise<T>, withinMs = 10_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain until ${what}`);
    await sleep(10);
  }
}
