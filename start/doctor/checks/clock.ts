import { type Check, type Finding, fault, ok, warning } from '../finding';

const SLIGHT_MS = 2_000;
const GRAVE_MS = 30_000;

/** Our clock against the database's, which all processes share. */
export const clock: Check = {
  name: 'clock',
  needsDatabase: true,
  mend: 'See what the check of the database says.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind !== 'mongodb') return [ok('the clock of this machine is the only one')];
    const before = Date.now();
    const [document] = await found.db.aggregate([{ $documents: [{ at: '$$NOW' }] }]).toArray();
    const after = Date.now();
    return [skewFinding((document as { at: Date }).at.getTime(), before, after)];
  },
};

/** `theirs`: what the database's clock showed at some time between `before` and `after` of ours; milliseconds. Pure. */
export function skewFinding(theirs: number, before: number, after: number): Finding {
  const skew = theirs < before ? before - theirs : Math.max(0, theirs - after);
  const text = `our clock and the database's differ by ${skew < 1_000 ? `${skew} ms` : `${Math.round(skew / 1_000)} s`}, or less`;
  const mend = 'Let both machines take their time from the same NTP servers.';
  if (skew > GRAVE_MS) return fault(text, mend);
  return skew > SLIGHT_MS ? warning(text, mend) : ok(text);
}
