import type { Clock } from '../../lib/clock';

/**
 * The answer, or a fault when none has come in time. For questions whose silence must not hold up the asker: a
 * connection that died without a word answers nothing for minutes. A late answer is dropped, so the caller must not
 * depend on what it would have said.
 */
export async function within<T>(clock: Clock, ms: number, what: string, answer: Promise<T>): Promise<T> {
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
