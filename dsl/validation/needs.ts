import { didYouMean } from '../suggest';
import { type Issues, memberPath, typeName } from './issues';
import type { List, Outline, Site } from './outline';

/** Checks what a step waits for: ids of other steps of its list, each once. */
export function checkNeeds(site: Site, { byId }: Outline, issues: Issues): void {
  const { needs } = site.step;
  const path = `${site.path}.needs`;
  if (needs === undefined) return;
  if (!Array.isArray(needs)) {
    issues.error(path, `must be a list of ids of steps, not ${typeName(needs)}`, 'write ["first", "second"]');
    return;
  }
  for (const [index, id] of needs.entries()) {
    const here = memberPath(path, index);
    if (typeof id !== 'string') issues.error(here, `must be the id of a step, not ${typeName(id)}`);
    else if (id === site.id) issues.error(here, 'a step cannot need itself');
    else if (needs.indexOf(id) < index) issues.error(here, `${quoted(id)} is named twice`);
    else if (!site.list.byId.has(id)) {
      const ids = site.list.sites.flatMap((each) => (each.id === null || each === site ? [] : [each.id]));
      if (byId.has(id)) issues.error(here, `the step ${id} is in another list`, 'a step can need those beside it');
      else issues.error(here, `no step has the id ${quoted(id)}`, () => didYouMean(id, ids));
    }
  }
}

const quoted = (id: string): string => JSON.stringify(id.slice(0, 64));

/** The steps that a step waits for: those that it needs, or the one before. Unknown ids are left out. */
function waitedFor(site: Site): Site[] {
  const { needs } = site.step;
  const before = site.list.sites[site.index - 1];
  if (!Array.isArray(needs)) return before === undefined ? [] : [before];
  return needs.flatMap((id) => site.list.byId.get(id) ?? []);
}

/** Reports each circle of steps that wait for each other, once, at its first step. */
export function checkCircles(list: List, issues: Issues): void {
  const settled = new Set<Site>();
  const visit = (site: Site, trail: readonly Site[]): void => {
    if (settled.has(site)) return;
    const start = trail.indexOf(site);
    if (start === -1) for (const each of waitedFor(site)) visit(each, [...trail, site]);
    else reportCircle(trail.slice(start), issues);
    settled.add(site);
  };
  if (list.sites.some(({ step }) => Array.isArray(step.needs))) for (const site of list.sites) visit(site, []);
}

function reportCircle(circle: readonly Site[], issues: Issues): void {
  const [first] = circle;
  if (first === undefined || circle.length < 2) return;
  const implicit = circle.find(({ step }) => !Array.isArray(step.needs));
  const hint = implicit === undefined ? undefined : `${implicit.id} has no needs, so it waits for the step before`;
  const names = [...circle, first].map(({ id }) => id ?? '?').join(' -> ');
  issues.error(`${first.path}.needs`, `steps wait for each other: ${names}`, hint);
}

/** For each step of a list, as bits by index, those that have settled whenever it begins. */
const settledBefore = new WeakMap<List, readonly bigint[]>();

/** Whether `first` has settled whenever `second`, of the same list, begins. */
export function comesBefore(first: Site, second: Site): boolean {
  const { list } = second;
  let known = settledBefore.get(list);
  if (known === undefined) {
    known = ancestors(list);
    settledBefore.set(list, known);
  }
  return ((known[second.index] ?? 0n) & (1n << BigInt(first.index))) !== 0n;
}

function ancestors({ sites }: List): bigint[] {
  const found: bigint[] = [];
  const visit = (site: Site): bigint => {
    const known = found[site.index];
    if (known !== undefined) return known;
    // Counts as known from here on, so that a circle comes to an end.
    found[site.index] = 0n;
    let bits = 0n;
    for (const each of waitedFor(site)) bits |= visit(each) | (1n << BigInt(each.index));
    found[site.index] = bits;
    return bits;
  };
  for (const site of sites) visit(site);
  return found;
}
