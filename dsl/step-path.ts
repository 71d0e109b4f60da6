/**
 * Paths of steps. A path alternates step ids and block keys: in a plan `each/steps/fetch`, in a run
 * `each/steps[17]/fetch` for an item of a foreach and `poll/steps.3/check` for an iteration of a while. Paths of the
 * document's own `on_error` begin with `.on_error`. Step ids contain neither slash, dot nor bracket.
 */

/** The block of the document's `on_error`. */
export const DOCUMENT_ON_ERROR = '.on_error';

const LOOP_BLOCK = /\/steps(?:\[(\d+)\]|\.(\d+))(?=\/|$)/g;
const ITEM_BLOCK = /^.*\/steps\[\d+\](?=\/|$)/;

/** The path of a step in a block; the outermost block is the empty text. */
export const stepPath = (block: string, id: string): string => (block === '' ? id : `${block}/${id}`);

/** The path of a block of a step: `big/cases.0`. */
export const blockPath = (step: string, key: string): string => `${step}/${key}`;

/** The block of one item of a foreach. */
export const itemPath = (step: string, index: number): string => `${step}/steps[${index}]`;

/** The block of one iteration of a while. */
export const iterationPath = (step: string, index: number): string => `${step}/steps.${index}`;

/** The path in the plan of a path in a run. */
export const planPath = (runPath: string): string =>
  runPath.includes('/steps') ? runPath.replace(LOOP_BLOCK, '/steps') : runPath;

/** A path without its last part: the block of a step, the step of a block; empty for the outermost. */
export const blockOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The id of the step at a path. */
export const stepIdOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The output scope of a path: the innermost foreach item around it, or itself; empty for the whole run. */
export const scopeOf = (runPath: string): string => ITEM_BLOCK.exec(runPath)?.[0] ?? '';

/** A block of one item or iteration of a loop, and its index. */
export interface LoopBlock {
  readonly kind: 'item' | 'iteration';
  readonly block: string;
  readonly index: number;
}

/** The loops, of both kinds, around a path, outermost first. */
export const loopsOf = (runPath: string): LoopBlock[] =>
  runPath.includes('/steps')
    ? Array.from(runPath.matchAll(LOOP_BLOCK), ({ 0: text, 1: item, 2: iteration, index }) => ({
        kind: item === undefined ? 'iteration' : 'item',
        block: runPath.slice(0, index + text.length),
        index: Number(item ?? iteration),
      }))
    : [];

/** The indexes of those loops. */
export const iterationsOf = (runPath: string): number[] => loopsOf(runPath).map(({ index }) => index);

/** The index of the innermost loop; null outside loops. */
export const iterationOf = (runPath: string): number | null => iterationsOf(runPath).at(-1) ?? null;

/**
 * The address of a step of a run for users: its id and the indexes of its loops (`ask`, `ask.17`, `ask.2.0`). Safe in
 * URLs.
 */
export const addressOf = (runPath: string): string => [stepIdOf(runPath), ...iterationsOf(runPath)].join('.');
