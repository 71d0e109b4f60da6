import { isObject } from '../../lib/json';
import { blocksOf } from '../blocks';
import { type ControlName, controlType } from '../control';
import { ID_PATTERN, LIMITS } from '../document';
import { DOCUMENT_ON_ERROR } from '../step-path';
import { type Issues, memberPath } from './issues';
import { checkId } from './policies';

/** A list of steps in the document. */
export interface StepList {
  /** As in paths of steps (`cases.0`); empty for the outermost, DOCUMENT_ON_ERROR for the document's own `on_error`. */
  readonly key: string;
  /** The step that contains it; null for the document's own lists. */
  readonly holder: StepNode | null;
  readonly nodes: readonly StepNode[];
  /** The first of each id. */
  readonly byId: ReadonlyMap<unknown, StepNode>;
}

/** A step in the document. */
export interface StepNode {
  readonly step: Record<string, unknown>;
  readonly id: string | null;
  /** The canonical name of its type when it is a container. */
  readonly control: ControlName | null;
  /** Its path in messages: `steps[2].cases[0].steps[1]`. */
  readonly path: string;
  readonly list: StepList;
  /** Its scope in the list. */
  readonly index: number;
}

/** All steps of a document in the order of its text, outer before inner, and the first of each id. */
export interface DocumentIndex {
  readonly nodes: readonly StepNode[];
  readonly byId: ReadonlyMap<string, StepNode>;
}

/** Walks the steps, nested ones too, and checks their ids, their number and their depth. */
export function indexDocument(document: Record<string, unknown>, issues: Issues): DocumentIndex {
  const nodes: StepNode[] = [];
  const byId = new Map<string, StepNode>();

  const visit = (
    steps: readonly unknown[],
    path: string,
    key: string,
    holder: StepNode | null,
    depth: number,
  ): void => {
    const list = { key, holder, nodes: [] as StepNode[], byId: new Map<unknown, StepNode>() };
    for (const [index, step] of steps.entries()) {
      if (nodes.length === LIMITS.steps)
        issues.endWith('steps', `more than ${LIMITS.steps} steps, nested ones counted`, 'split the workflow');
      const here = memberPath(path, index);
      if (!isObject(step)) {
        issues.error(here, 'a step must be an object', 'write {"id": "...", "type": "...", "config": {}}');
        continue;
      }
      const id = checkId(step.id, ID_PATTERN, `${here}.id`, issues);
      const node = { step, id, control: controlType(step.type), path: here, list, index: list.nodes.length };
      list.nodes.push(node);
      if (id !== null && !list.byId.has(id)) list.byId.set(id, node);
      nodes.push(node);
      const first = id === null ? undefined : byId.get(id);
      if (first) issues.error(`${here}.id`, `the id "${id}" is taken by ${first.path}`, 'give each step its own id');
      else if (id !== null) byId.set(id, node);
      for (const block of blocksOf(step)) {
        if (depth >= LIMITS.depth) issues.error(here, `steps are nested deeper than ${LIMITS.depth}`);
        else visit(block.steps, `${here}.${block.path}`, block.key, node, depth + 1);
      }
    }
  };

  const { steps, on_error: onError } = document;
  if (!Array.isArray(steps)) issues.error('steps', steps === undefined ? 'is missing' : 'must be an array of steps');
  else if (steps.length === 0) issues.error('steps', 'a workflow needs at least one step');
  else visit(steps, 'steps', '', null, 1);
  if (Array.isArray(onError)) visit(onError, 'on_error', DOCUMENT_ON_ERROR, null, 1);
  return { nodes, byId };
}

/** The steps around a step and the step itself, from the outermost. */
export function chainOf(node: StepNode): StepNode[] {
  const chain: StepNode[] = [];
  for (let each: StepNode | null = node; each !== null; each = each.list.holder) chain.unshift(each);
  return chain;
}

/** True for the body of a loop, rather than a handler of its failure. */
const isLoopBody = ({ key, holder }: StepList): boolean =>
  key === 'steps' && (holder?.control === 'foreach' || holder?.control === 'while');

/** The loops around a step, from the innermost. */
export const loopsOf = (node: StepNode): StepNode[] =>
  chainOf(node)
    .flatMap(({ list }) => (list.holder !== null && isLoopBody(list) ? [list.holder] : []))
    .reverse();

/** True when a step is, at any depth, in a list with one of these keys. */
export const isWithin = (node: StepNode, keys: ReadonlySet<string>): boolean =>
  chainOf(node).some(({ list }) => keys.has(list.key));
