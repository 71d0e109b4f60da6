/** The list of steps that a step is in: `each/steps[17]` of `each/steps[17]/fetch`; undefined outside containers. */
export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return end === -1 ? undefined : path.slice(0, end);
}

/** A loop around others, with the item of the loop around it. */
interface LoopLink {
  readonly path: string;
  readonly label: string;
}

const ITEM = /\/steps(?:\[(\d+)\]|\.(\d+))(?=\/)/g;

/** The loops from the outermost one to the one at this path. */
export function loopTrail(path: string): LoopLink[] {
  const items = [...path.matchAll(ITEM)];
  const ends = [...items.map(({ index }) => index), path.length];
  return ends.map((end, at) => {
    const loop = path.slice(0, end);
    const id = loop.slice(loop.lastIndexOf('/') + 1);
    const around = items[at - 1];
    return { path: loop, label: around === undefined ? id : `${id} of item ${around[1] ?? around[2]}` };
  });
}

/** The path in the document of a path in a run: `each/steps/fetch` of `each/steps[17]/fetch`. */
export const planPath = (path: string): string => path.replaceAll(ITEM, '/steps');

/** A loop around a step of a run, and in which of its items or iterations the step is. */
export interface LoopItem {
  readonly loop: string;
  readonly id: string;
  readonly kind: 'item' | 'iteration';
  readonly index: number;
}

/** The loops around a step, the outermost first. */
export const loopItems = (path: string): LoopItem[] =>
  [...path.matchAll(ITEM)].map(({ index, 1: item, 2: iteration }) => {
    const loop = path.slice(0, index);
    return {
      loop,
      id: loop.slice(loop.lastIndexOf('/') + 1),
      kind: item === undefined ? 'iteration' : 'item',
      index: Number(item ?? iteration),
    };
  });

/** The same step in another item of a loop around it. */
export const inItem = (path: string, { loop, kind }: LoopItem, index: number): string => {
  const rest = path.slice(loop.length).replace(/^\/steps(?:\[\d+\]|\.\d+)/, '');
  return `${loop}/steps${kind === 'item' ? `[${index}]` : `.${index}`}${rest}`;
};

interface Loop {
  readonly total: number | null;
  readonly begun: number;
  readonly ended: number;
  readonly steps: Readonly<Record<string, number>>;
}

/** The progress of a loop in some words: `120 of 500 items, 3 failed`. */
export function loopText({ total, begun, ended, steps }: Loop): string {
  const items = total === null ? `${count(begun)} iterations` : `${count(ended)} of ${count(total)} items`;
  const failed = steps.failed ?? 0;
  return failed === 0 ? items : `${items}, ${count(failed)} failed`;
}

const count = (value: number): string => value.toLocaleString('en');
