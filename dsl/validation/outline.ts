import { isObject } from '../../lib/json';
import { blocksOf } from '../blocks';
import { type ControlName, controlType } from '../control';
import { ID_PATTERN, LIMITS } from '../document';
import { DOCUMENT_ON_ERROR } from '../place';
import { type Issues, memberPath } from './issues';
import { checkId } from './policies';

/** A list of steps where it stands in the document. */
export interface List {
  /** As in paths of steps (`cases.0`); empty for the outermost, DOCUMENT_ON_ERROR for the document's own `on_error`. */
  readonly key: string;
  /** The step that holds it; null for the document's own lists. */
  readonly holder: Site | null;
  readonly sites: readonly Site[];
  /** The first of each id. */
  readonly byId: ReadonlyMap<unknown, Site>;
}

/** A step where it stands in the document. */
export interface Site {
  readonly step: Record<string, unknown>;
  readonly id: string | null;
  /** The canonical name of its type when it holds other steps. */
  readonly control: ControlName | null;
  /** Where it stands, in messages: `steps[2].cases[0].steps[1]`. */
  readonly path: string;
  readonly list: List;
  /** Its place in the list. */
  readonly index: number;
}

/** All steps of a document in the order of its text, outer before inner, and the first of each id. */
export interface Outline {
  readonly sites: readonly Site[];
  readonly byId: ReadonlyMap<string, Site>;
}

/** Walks the steps, nested ones too, and checks their ids, their number and their depth. */
export function outlineOf(document: Record<string, unknown>, issues: Issues): Outline {
  const sites: Site[] = [];
  const byId = new Map<string, Site>();

  const visit = (steps: readonly unknown[], path: string, key: string, holder: Site | null, depth: number): void => {
    const list = { key, holder, sites: [] as Site[], byId: new Map<unknown, Site>() };
    for (const [index, step] of steps.entries()) {
      const here = memberPath(path, index);
      if (!isObject(step)) {
        issues.error(here, 'a step must be an object', 'write {"id": "...", "type": "...", "config": {}}');
        continue;
      }
      const id = checkId(step.id, ID_PATTERN, `${here}.id`, issues);
      const site = { step, id, control: controlType(step.type), path: here, list, index: list.sites.length };
      list.sites.push(site);
      if (id !== null && !list.byId.has(id)) list.byId.set(id, site);
      sites.push(site);
      const first = id === null ? undefined : byId.get(id);
      if (first) issues.error(`${here}.id`, `the id "${id}" is taken by ${first.path}`, 'give each step its own id');
      else if (id !== null) byId.set(id, site);
      for (const block of blocksOf(step)) {
        if (depth >= LIMITS.depth) issues.error(here, `steps are nested deeper than ${LIMITS.depth}`);
        else visit(block.steps, `${here}.${block.path}`, block.key, site, depth + 1);
      }
    }
  };

  const { steps, on_error: onError } = document;
  if (!Array.isArray(steps)) issues.error('steps', steps === undefined ? 'is missing' : 'must be an array of steps');
  else if (steps.length === 0) issues.error('steps', 'a workflow needs at least one step');
  else visit(steps, 'steps', '', null, 1);
  if (Array.isArray(onError)) visit(onError, 'on_error', DOCUMENT_ON_ERROR, null, 1);
  if (sites.length > LIMITS.steps) {
    issues.error('steps', `${sites.length} steps; at most ${LIMITS.steps}, nested ones counted`, 'split the workflow');
  }
  return { sites, byId };
}

/** The steps around a step and the step itself, from the outermost. */
export function chainOf(site: Site): Site[] {
  const chain: Site[] = [];
  for (let each: Site | null = site; each !== null; each = each.list.holder) chain.unshift(each);
  return chain;
}

/** Whether a list is what a loop does again and again, rather than what follows its failure. */
const isTurned = ({ key, holder }: List): boolean =>
  key === 'steps' && (holder?.control === 'foreach' || holder?.control === 'while');

/** The loops around a step, from the innermost. */
export const loopsOf = (site: Site): Site[] =>
  chainOf(site)
    .flatMap(({ list }) => (list.holder !== null && isTurned(list) ? [list.holder] : []))
    .reverse();

/** Whether a step stands, at any depth, in a list of one of these keys. */
export const isWithin = (site: Site, keys: ReadonlySet<string>): boolean =>
  chainOf(site).some(({ list }) => keys.has(list.key));
