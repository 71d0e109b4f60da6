import type { Clock } from './clock';

/**
 * The answer, or an error when none arrives in time. For requests over connections that may have died silently, which
 * answer nothing for minutes. A late answer is dropped, so the caller must not depend on its effect.
 */
export async function withTimeout<T>(clock: Clock, ms: number, what: string, answer: Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error(`${what}: no answer within ${ms} ms`)));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}
