import { type Check, type Finding, fault, ok, warning } from '../finding';

const SLIGHT_MS = 2_000;
const GRAVE_MS = 30_000;

/** Clock skew between this machine and the database, whose clock all processes share. */
export const clock: Check = {
  name: 'clock',
  needsDatabase: true,
  mend: 'See what the check of the database says.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind !== 'mongodb') return [ok('no other clock is involved')];
    const before = Date.now();
    const [document] = await found.db.aggregate([{ $documents: [{ at: '$$NOW' }] }]).toArray();
    const after = Date.now();
    return [skewFinding((document as { at: Date }).at.getTime(), before, after)];
  },
};

/** `theirs`: the database's time, read between `before` and `after` on this machine; milliseconds. Pure. */
export function skewFinding(theirs: number, before: number, after: number): Finding {
  const skew = theirs < before ? before - theirs : Math.max(0, theirs - after);
  const text = `the clocks of this machine and the database differ by at most ${skew < 1_000 ? `${skew} ms` : `${Math.round(skew / 1_000)} s`}`;
  const mend = 'Use the same NTP servers on both machines.';
  if (skew > GRAVE_MS) return fault(text, mend);
  return skew > SLIGHT_MS ? warning(text, mend) : ok(text);
}
