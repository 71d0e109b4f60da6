import type { ActorDeps } from './deps';

/** Calls `ring` at a time, epoch milliseconds, or at once when that is past; the answer cancels it. */
export const alarm = (
  { clock, meters }: Pick<ActorDeps, 'clock' | 'meters'>,
  due: number,
  ring: () => void,
): (() => void) =>
  clock.after(Math.max(0, due - clock.now()), () => {
    meters.timerFired(clock.now() - due);
    ring();
  });
