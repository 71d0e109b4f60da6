import { LIMITS } from '../document';
import { didYouMean } from '../suggest';
import { type Issues, memberPath, typeName } from './issues';
import type { StepList, DocumentIndex, StepNode } from './document-index';

/** Checks `needs`: ids of other steps of the same list, without duplicates. */
export function checkNeeds(node: StepNode, { byId }: DocumentIndex, issues: Issues): void {
  const { needs } = node.step;
  const path = `${node.path}.needs`;
  if (needs === undefined) return;
  if (!Array.isArray(needs)) {
    issues.error(path, `must be a list of ids of steps, not ${typeName(needs)}`, 'write ["first", "second"]');
    return;
  }
  if (needs.length > LIMITS.steps) {
    issues.error(path, `has more than ${LIMITS.steps} ids`);
    return;
  }
  const seen = new Set<unknown>();
  for (const [index, id] of needs.entries()) {
    const here = memberPath(path, index);
    const isKnown = seen.has(id);
    seen.add(id);
    if (typeof id !== 'string') issues.error(here, `must be the id of a step, not ${typeName(id)}`);
    else if (id === node.id) issues.error(here, 'a step cannot need itself');
    else if (isKnown) issues.error(here, `${quoted(id)} is named twice`);
    else if (!node.list.byId.has(id)) {
      if (byId.has(id)) issues.error(here, `the step ${id} is in another list`, 'a step can need those beside it');
      else issues.error(here, `no step has the id ${quoted(id)}`, () => didYouMean(id, idsBeside(node)));
    }
  }
}

const idsBeside = (node: StepNode): string[] =>
  node.list.nodes.flatMap((each) => (each.id === null || each === node ? [] : [each.id]));

const quoted = (id: string): string => JSON.stringify(id.slice(0, 64));

/** The steps that a step waits for: those in `needs`, or the one before. Unknown ids are omitted. */
function waitedFor(node: StepNode): StepNode[] {
  const { needs } = node.step;
  const before = node.list.nodes[node.index - 1];
  if (!Array.isArray(needs)) return before === undefined ? [] : [before];
  return needs.flatMap((id) => node.list.byId.get(id) ?? []);
}

/** Reports each cycle of steps that wait for each other, once, at its first step. */
export function checkCycles(list: StepList, issues: Issues): void {
  const settled = new Set<StepNode>();
  const visit = (node: StepNode, trail: readonly StepNode[]): void => {
    if (settled.has(node)) return;
    const start = trail.indexOf(node);
    if (start === -1) for (const each of waitedFor(node)) visit(each, [...trail, node]);
    else reportCycle(trail.slice(start), issues);
    settled.add(node);
  };
  if (list.nodes.some(({ step }) => Array.isArray(step.needs))) for (const node of list.nodes) visit(node, []);
}

function reportCycle(circle: readonly StepNode[], issues: Issues): void {
  const [first] = circle;
  if (first === undefined || circle.length < 2) return;
  const implicit = circle.find(({ step }) => !Array.isArray(step.needs));
  const hint = implicit === undefined ? undefined : `${implicit.id} has no needs, so it waits for the step before`;
  const names = [...circle, first].map(({ id }) => id ?? '?').join(' -> ');
  issues.error(`${first.path}.needs`, `steps wait for each other: ${names}`, hint);
}

/** For each step of a list, as bits by index, the steps that have always settled before it begins. */
const settledBefore = new WeakMap<StepList, readonly bigint[]>();

/** True when `first`, of the same list, has always settled before `second` begins. */
export function comesBefore(first: StepNode, second: StepNode): boolean {
  const { list } = second;
  let known = settledBefore.get(list);
  if (known === undefined) {
    known = ancestors(list);
    settledBefore.set(list, known);
  }
  return ((known[second.index] ?? 0n) & (1n << BigInt(first.index))) !== 0n;
}

function ancestors({ nodes }: StepList): bigint[] {
  const found: bigint[] = [];
  const visit = (node: StepNode): bigint => {
    const known = found[node.index];
    if (known !== undefined) return known;
    // Marked as visited, so that a cycle ends.
    found[node.index] = 0n;
    let bits = 0n;
    for (const each of waitedFor(node)) bits |= visit(each) | (1n << BigInt(each.index));
    found[node.index] = bits;
    return bits;
  };
  for (const node of nodes) visit(node);
  return found;
}
