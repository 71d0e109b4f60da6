import { isObject, type JsonObject, type Path, pathText } from './path';

/** The types of steps that hold others, with their aliases. */
const BLOCK_TYPES: Readonly<Record<string, BlockType>> = {
  branch: 'branch',
  condition: 'branch',
  if: 'branch',
  switch: 'branch',
  parallel: 'parallel',
  foreach: 'foreach',
  while: 'while',
  try: 'try',
};
export type BlockType = 'branch' | 'parallel' | 'foreach' | 'while' | 'try';

/** The canonical name of a type that holds steps; null for any other. */
export const blockTypeOf = (type: unknown): BlockType | null =>
  typeof type === 'string' && Object.hasOwn(BLOCK_TYPES, type) ? (BLOCK_TYPES[type] ?? null) : null;

/** Lists of steps that each type has even while they are not written in the document. */
const EXPECTED_LISTS: Readonly<Record<BlockType, readonly string[]>> = {
  branch: ['else'],
  parallel: [],
  foreach: ['steps'],
  while: ['steps'],
  try: ['steps', 'catch', 'finally'],
};

/** The members of a step that are lists of steps, in the order in which they are shown. */
const LISTS = ['steps', 'else', 'catch', 'finally', 'on_error', 'compensate'] as const;
const LISTS_OF_BLOCKS = ['cases', 'branches'] as const;
/** Lists that the language lets be empty. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['else', 'catch', 'finally']);

/** A list of steps. */
export interface StepList {
  readonly path: Path;
  /** As in paths of runs: `cases.0`, `steps`; empty for the outermost, `.on_error` for that of the document. */
  readonly key: string;
  readonly steps: readonly JsonObject[];
  /** The path of the step that holds it; null for those of the document. */
  readonly holder: Path | null;
  /** False for an expected list that the document does not have yet. */
  readonly written: boolean;
}

/** A step of a document, with its place. */
export interface StepPlace {
  readonly step: JsonObject;
  readonly id: string;
  readonly type: string;
  readonly path: Path;
  readonly list: StepList;
  readonly index: number;
  /** Steps around it. */
  readonly depth: number;
  /** Its path in a plan: `each/steps/fetch`. */
  readonly planPath: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Items that are no objects are shown as steps without anything, so that indexes stay those of the document. */
const stepsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? item : {})) : [];

/** The lists of a step: cases and branches first, then those with names. */
export function listsOfStep(step: JsonObject, path: Path): StepList[] {
  const lists: StepList[] = [];
  const add = (key: string, listPath: Path, value: unknown): void => {
    lists.push({ path: listPath, key, steps: stepsOf(value), holder: path, written: Array.isArray(value) });
  };
  for (const name of LISTS_OF_BLOCKS) {
    const blocks = Object.hasOwn(step, name) ? step[name] : undefined;
    if (!Array.isArray(blocks)) continue;
    for (const [index, block] of blocks.entries()) {
      add(`${name}.${index}`, [...path, name, index, 'steps'], isObject(block) ? block.steps : undefined);
    }
  }
  const type = blockTypeOf(step.type);
  const expected = type === null ? [] : EXPECTED_LISTS[type];
  for (const name of LISTS) {
    const value = Object.hasOwn(step, name) ? step[name] : undefined;
    if (Array.isArray(value) || expected.includes(name)) add(name, [...path, name], value);
  }
  return lists;
}

/** The lists of the document itself: its steps, and those that run when it fails. */
export function rootLists(document: JsonObject): StepList[] {
  const list = (key: string, name: string): StepList => ({
    path: [name],
    key,
    steps: stepsOf(document[name]),
    holder: null,
    written: Array.isArray(document[name]),
  });
  const lists = [list('', 'steps')];
  if (Array.isArray(document.on_error)) lists.push(list('.on_error', 'on_error'));
  return lists;
}

/** A document never changes, so its steps are looked up once. */
const known = new WeakMap<JsonObject, readonly StepPlace[]>();

/** Every step in the order of the document, outer before inner. */
export function placesOf(document: JsonObject): readonly StepPlace[] {
  const found = known.get(document) ?? walked(document);
  known.set(document, found);
  return found;
}

function walked(document: JsonObject): StepPlace[] {
  const places: StepPlace[] = [];
  const visit = (list: StepList, block: string, depth: number): void => {
    for (const [index, step] of list.steps.entries()) {
      const id = textOf(step.id);
      const planPath = block === '' ? id : `${block}/${id}`;
      const path = [...list.path, index];
      places.push({ step, id, type: textOf(step.type), path, list, index, depth, planPath });
      for (const inner of listsOfStep(step, path)) visit(inner, `${planPath}/${inner.key}`, depth + 1);
    }
  };
  for (const list of rootLists(document)) visit(list, list.key, 0);
  return places;
}

/** Every list in the order of the document. */
export const listsOf = (document: JsonObject): StepList[] => [
  ...rootLists(document),
  ...placesOf(document).flatMap(({ step, path }) => listsOfStep(step, path)),
];

/** The first step with an id. */
export const placeOf = (document: JsonObject, id: string): StepPlace | undefined =>
  placesOf(document).find((place) => place.id === id);

/** The step at a path or around it, from a path of a message such as `steps[0].config.url`. */
export function placeAround(places: readonly StepPlace[], path: Path): StepPlace | undefined {
  const byPath = new Map(places.map((place) => [pathText(place.path), place]));
  for (let length = path.length; length > 0; length--) {
    const place = byPath.get(pathText(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether the language needs a step in a list. */
export const needsSteps = ({ key, steps }: StepList): boolean => steps.length === 0 && !MAY_BE_EMPTY.has(key);
