import { isObject } from '../../lib/json';
import { blocksOf } from '../blocks';
import { ID_PATTERN, LIMITS } from '../document';
import { type Issues, memberPath } from './issues';
import { checkId } from './policies';

/** A step where it stands in the document. */
export interface Site {
  readonly step: Record<string, unknown>;
  readonly id: string | null;
  /** Where it stands, in messages: `steps[2].cases[0].steps[1]`. */
  readonly path: string;
  /** Place in the order of the text, outer steps before those that they hold. */
  readonly order: number;
  /** The step that holds this one and the key of the block; null for an outermost step. */
  readonly holder: { readonly site: Site; readonly key: string } | null;
}

/** All steps of a document in the order of its text, and the first of each id. */
export interface Outline {
  readonly sites: readonly Site[];
  readonly byId: ReadonlyMap<string, Site>;
}

/** Walks the steps, nested ones too, and checks their ids, their number and their depth. */
export function outlineOf(steps: unknown, issues: Issues): Outline {
  const sites: Site[] = [];
  const byId = new Map<string, Site>();
  const visit = (list: readonly unknown[], path: string, holder: Site['holder'], depth: number): void => {
    for (const [index, step] of list.entries()) {
      const here = memberPath(path, index);
      if (!isObject(step)) {
        issues.error(here, 'a step must be an object', 'write {"id": "...", "type": "...", "config": {}}');
        continue;
      }
      const id = checkId(step.id, ID_PATTERN, `${here}.id`, issues);
      const site: Site = { step, id, path: here, order: sites.length, holder };
      sites.push(site);
      const first = id === null ? undefined : byId.get(id);
      if (first) issues.error(`${here}.id`, `the id "${id}" is taken by ${first.path}`, 'give each step its own id');
      else if (id !== null) byId.set(id, site);
      for (const block of blocksOf(step)) {
        if (depth >= LIMITS.depth) issues.error(here, `steps are nested deeper than ${LIMITS.depth}`);
        else visit(block.steps, `${here}.${block.path}`, { site, key: block.key }, depth + 1);
      }
    }
  };
  if (!Array.isArray(steps)) issues.error('steps', steps === undefined ? 'is missing' : 'must be an array of steps');
  else if (steps.length === 0) issues.error('steps', 'a workflow needs at least one step');
  else visit(steps, 'steps', null, 1);
  if (sites.length > LIMITS.steps) {
    issues.error('steps', `${sites.length} steps; at most ${LIMITS.steps}, nested ones counted`, 'split the workflow');
  }
  return { sites, byId };
}

/** Blocks that run after the other blocks of their step, and may use what those have done. */
const CLOSING_BLOCKS: ReadonlySet<string> = new Set(['catch', 'finally']);

/** Why `target` cannot have run when `site` runs; null when it can. */
export function cannotHaveRun(target: Site, site: Site): string | null {
  if (target === site) return 'is this step itself';
  const [above, aboveTarget] = [holders(site), holders(target)];
  if (above.some((holder) => holder.site === target)) return 'holds this step, and ends after it';
  if (aboveTarget.some((holder) => holder.site === site)) return 'is inside this step, and runs after it';
  for (const { site: holder, key } of above) {
    const other = aboveTarget.find((each) => each.site === holder);
    if (other && other.key !== key) return CLOSING_BLOCKS.has(key) ? null : 'is in another branch';
  }
  return target.order < site.order ? null : 'runs after this step';
}

const holders = (site: Site): { site: Site; key: string }[] =>
  site.holder === null ? [] : [site.holder, ...holders(site.holder.site)];
