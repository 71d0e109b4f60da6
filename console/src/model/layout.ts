import { isObject, type JsonObject, type Path, pathText } from './document/path';
import { blockTypeOf, listsOfStep, needsSteps, rootLists, type StepList } from './document/walk';

/** Sizes in pixels. */
const CARD_WIDTH = 232;
const CARD_HEIGHT = 56;
/** Between steps that follow each other; it holds the line and the button that adds a step. */
const ROW_GAP = 40;
const COLUMN_GAP = 24;
const FRAME_PADDING = 16;
const LABEL_HEIGHT = 28;
const EMPTY_HEIGHT = 40;
const MARGIN = 24;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The card of a step. */
export interface LayoutStep extends Box {
  /** The text of its path in the document. */
  readonly key: string;
  readonly path: Path;
  readonly step: JsonObject;
  /** Its path in a plan, and in runs without the indexes of loops: `each/steps/fetch`. */
  readonly planPath: string;
  readonly depth: number;
}

/** The area of a step that holds others, with its card. */
interface LayoutFrame extends Box {
  readonly key: string;
  readonly depth: number;
}

/** A list of steps inside of a frame: its heading, and the place for a step while it is empty. */
export interface LayoutList extends Box {
  readonly key: string;
  readonly list: StepList;
  readonly label: string;
  /** The place of the first step while there is none. */
  readonly empty: Box | null;
  /** An empty list that the language refuses. */
  readonly needsSteps: boolean;
}

/** A line between two steps, or between a block and its lists; from top to bottom. */
interface LayoutEdge {
  readonly key: string;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** As the `d` of an SVG path. */
  readonly line: string;
}

/** The middle of what the keys can reach: the card of a step, or the place of an empty list. */
export interface LayoutStop {
  readonly key: string;
  readonly x: number;
  readonly y: number;
}

/** Where a step can be added: on a line, or at the end of a list. */
export interface LayoutSlot {
  readonly key: string;
  readonly list: Path;
  readonly index: number;
  /** On the place of an empty list, which adds a step itself. */
  readonly empty: boolean;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly triggers: Box;
  readonly steps: readonly LayoutStep[];
  readonly frames: readonly LayoutFrame[];
  readonly lists: readonly LayoutList[];
  readonly edges: readonly LayoutEdge[];
  readonly slots: readonly LayoutSlot[];
  /** In the order of the document. */
  readonly stops: readonly LayoutStop[];
}

/** A part of the drawing with its size; `place` puts it at its final position. */
interface Part {
  readonly width: number;
  readonly height: number;
  /** Distance of the line through it from its left side. */
  readonly axis: number;
  place(x: number, y: number): void;
}

interface Drawing {
  /** Whether lists are drawn that a step may have and the document does not. */
  readonly withExpected: boolean;
  readonly steps: LayoutStep[];
  readonly frames: LayoutFrame[];
  readonly lists: LayoutList[];
  readonly edges: LayoutEdge[];
  readonly slots: LayoutSlot[];
  readonly stops: LayoutStop[];
}

/**
 * Places the steps of a document: one list from top to bottom, the lists of a step side by side under its card, and
 * steps with `needs` in the rows in which they can run. Positions follow from the document alone. `withExpected`: also
 * lists that a step may have and the document does not, such as `else`, where steps can be added.
 */
export function layoutOf(document: JsonObject, withExpected = true): Layout {
  const drawing: Drawing = { withExpected, steps: [], frames: [], lists: [], edges: [], slots: [], stops: [] };
  const [main, onError] = rootLists(document);
  const parts = [main, onError].flatMap((list) => (list === undefined ? [] : [listPart(list, list.key, 0, drawing)]));
  const [mainPart, errorPart] = parts;
  const axis = MARGIN + Math.max(CARD_WIDTH / 2, mainPart?.axis ?? 0);
  const triggers = { x: axis - CARD_WIDTH / 2, y: MARGIN, width: CARD_WIDTH, height: CARD_HEIGHT };
  const top = MARGIN + CARD_HEIGHT;
  let [width, height] = [triggers.x + CARD_WIDTH, top];
  if (main !== undefined && mainPart !== undefined) {
    mainPart.place(axis - mainPart.axis, top + ROW_GAP);
    if (main.steps.length > 0) drawing.edges.push(edgeOf([axis, top], [axis, top + ROW_GAP], 'start'));
    else emptyRoot(main, axis, top, drawing);
    width = Math.max(width, axis - mainPart.axis + mainPart.width);
    height = top + ROW_GAP + Math.max(mainPart.height, EMPTY_HEIGHT) + ROW_GAP;
  }
  if (onError !== undefined && errorPart !== undefined) {
    const column = listColumn(onError, 'When the run fails', errorPart, drawing);
    const left = Math.max(MARGIN, axis - column.axis);
    column.place(left, height + FRAME_PADDING);
    width = Math.max(width, left + column.width);
    height += FRAME_PADDING + column.height + ROW_GAP;
  }
  const { withExpected: _, ...drawn } = drawing;
  return { width: width + MARGIN, height: height + MARGIN, triggers, ...drawn };
}

function emptyRoot(list: StepList, axis: number, top: number, { lists, edges, slots, stops }: Drawing): void {
  const box = { x: axis - CARD_WIDTH / 2, y: top + ROW_GAP, width: CARD_WIDTH, height: EMPTY_HEIGHT };
  lists.push({ ...box, key: pathText(list.path), list, label: '', empty: box, needsSteps: true });
  edges.push(edgeOf([axis, top], [axis, top + ROW_GAP], 'start'));
  const [x, y] = [axis, top + ROW_GAP + EMPTY_HEIGHT / 2];
  slots.push({ key: 'steps:0', list: list.path, index: 0, empty: true, x, y });
  stops.push({ key: pathText(list.path), x, y });
}

function edgeOf(from: readonly [number, number], to: readonly [number, number], key: string): LayoutEdge {
  const [[x1, y1], [x2, y2]] = [from, to];
  const bend = ROW_GAP * 0.6;
  const line = x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  return { key, from, to, line };
}

/** The steps of a list: one under the other, or in rows where one of them says what it needs. */
function listPart(list: StepList, block: string, depth: number, drawing: Drawing): Part {
  const parts = list.steps.map((step, index) => stepPart(step, [...list.path, index], block, depth, drawing));
  return list.steps.some(({ needs }) => Array.isArray(needs))
    ? graphPart(list, parts, drawing)
    : sequencePart(list, parts, drawing);
}

function sequencePart(list: StepList, parts: readonly Part[], { edges, slots }: Drawing): Part {
  const axis = Math.max(0, ...parts.map((part) => part.axis));
  const right = Math.max(0, ...parts.map((part) => part.width - part.axis));
  const key = pathText(list.path);
  return {
    width: axis + right,
    height: parts.reduce((sum, part) => sum + part.height, 0) + ROW_GAP * Math.max(0, parts.length - 1),
    axis,
    place(x, y) {
      let top = y;
      for (const [index, part] of parts.entries()) {
        part.place(x + axis - part.axis, top);
        slots.push({ key: `${key}:${index}`, list: list.path, index, empty: false, x: x + axis, y: top - ROW_GAP / 2 });
        top += part.height;
        if (index + 1 < parts.length) {
          edges.push(edgeOf([x + axis, top], [x + axis, top + ROW_GAP], `${key}[${index}]`));
        }
        top += ROW_GAP;
      }
      const end = parts.length;
      if (end > 0)
        slots.push({
          key: `${key}:${end}`,
          list: list.path,
          index: end,
          empty: false,
          x: x + axis,
          y: top - ROW_GAP / 2,
        });
    },
  };
}

/** Steps in rows: each below all that it waits for. */
function graphPart(list: StepList, parts: readonly Part[], { edges, slots }: Drawing): Part {
  const waited = waitedFor(list);
  const rows = rowsOf(waited);
  const grouped = Map.groupBy(parts.keys(), (index) => rows[index] ?? 0);
  const lines = [...grouped].sort(([a], [b]) => a - b).map(([, indexes]) => indexes);
  const widths = lines.map(
    (line) => line.reduce((sum, index) => sum + (parts[index]?.width ?? 0), 0) + COLUMN_GAP * (line.length - 1),
  );
  const width = Math.max(0, ...widths);
  const heights = lines.map((line) => Math.max(0, ...line.map((index) => parts[index]?.height ?? 0)));
  const key = pathText(list.path);
  return {
    width,
    height: heights.reduce((sum, height) => sum + height, 0) + ROW_GAP * Math.max(0, lines.length - 1),
    axis: width / 2,
    place(x, y) {
      const at: { readonly axis: number; readonly top: number; readonly bottom: number }[] = [];
      let top = y;
      for (const [row, line] of lines.entries()) {
        let left = x + (width - (widths[row] ?? 0)) / 2;
        for (const index of line) {
          const part = parts[index];
          if (part === undefined) continue;
          part.place(left, top);
          at[index] = { axis: left + part.axis, top, bottom: top + part.height };
          left += part.width + COLUMN_GAP;
        }
        top += (heights[row] ?? 0) + ROW_GAP;
      }
      for (const [index, needs] of waited.entries()) {
        for (const need of needs) {
          const [from, to] = [at[need], at[index]];
          if (from === undefined || to === undefined || from.bottom > to.top) continue;
          edges.push(edgeOf([from.axis, from.bottom], [to.axis, to.top], `${key}[${need}]-${index}`));
        }
      }
      const end = parts.length;
      slots.push({
        key: `${key}:${end}`,
        list: list.path,
        index: end,
        empty: false,
        x: x + width / 2,
        y: top - ROW_GAP / 2,
      });
    },
  };
}

/** Indexes of the steps that each step of a list waits for. */
function waitedFor({ steps }: StepList): number[][] {
  const byId = new Map(steps.map(({ id }, index) => [id, index] as const));
  return steps.map(({ needs }, index) => {
    if (!Array.isArray(needs)) return index === 0 ? [] : [index - 1];
    return needs.flatMap((id: unknown) => byId.get(id) ?? []).filter((need) => need !== index);
  });
}

/** The row of each step: one below the lowest that it waits for. Steps that wait for each other end the search. */
function rowsOf(waited: readonly (readonly number[])[]): number[] {
  const rows: number[] = [];
  const visit = (index: number, open: ReadonlySet<number>): number => {
    const known = rows[index];
    if (known !== undefined) return known;
    if (open.has(index)) return 0;
    const inner = new Set(open).add(index);
    const row = Math.max(-1, ...(waited[index] ?? []).map((need) => visit(need, inner))) + 1;
    rows[index] = row;
    return row;
  };
  for (const index of waited.keys()) visit(index, new Set());
  return rows;
}

function stepPart(step: JsonObject, path: Path, block: string, depth: number, drawing: Drawing): Part {
  const id = typeof step.id === 'string' ? step.id : '';
  const planPath = block === '' ? id : `${block}/${id}`;
  const key = pathText(path);
  const lists = listsOfStep(step, path).filter(({ written }) => written || drawing.withExpected);
  const card = (x: number, y: number): void => {
    drawing.steps.push({ key, path, step, planPath, depth, x, y, width: CARD_WIDTH, height: CARD_HEIGHT });
    drawing.stops.push({ key, x: x + CARD_WIDTH / 2, y: y + CARD_HEIGHT / 2 });
  };
  if (lists.length === 0) return { width: CARD_WIDTH, height: CARD_HEIGHT, axis: CARD_WIDTH / 2, place: card };

  const columns = lists.map((list) =>
    listColumn(list, labelOf(step, list), listPart(list, `${planPath}/${list.key}`, depth + 1, drawing), drawing),
  );
  const inner = columns.reduce((sum, column) => sum + column.width, 0) + COLUMN_GAP * (columns.length - 1);
  const width = Math.max(inner, CARD_WIDTH) + 2 * FRAME_PADDING;
  const top = FRAME_PADDING + CARD_HEIGHT + ROW_GAP;
  const height = top + Math.max(...columns.map((column) => column.height)) + FRAME_PADDING;
  return {
    width,
    height,
    axis: width / 2,
    place(x, y) {
      drawing.frames.push({ key, depth, x, y, width, height });
      card(x + (width - CARD_WIDTH) / 2, y + FRAME_PADDING);
      let left = x + (width - inner) / 2;
      for (const [index, column] of columns.entries()) {
        column.place(left, y + top);
        const from = [x + width / 2, y + FRAME_PADDING + CARD_HEIGHT] as const;
        drawing.edges.push(edgeOf(from, [left + column.axis, y + top], `${key}.${index}`));
        left += column.width + COLUMN_GAP;
      }
    },
  };
}

/** A list with its heading. */
function listColumn(list: StepList, label: string, part: Part, { lists, slots, edges, stops }: Drawing): Part {
  const isEmpty = list.steps.length === 0;
  const key = pathText(list.path);
  const axis = Math.max(CARD_WIDTH / 2, part.axis);
  const width = axis + Math.max(CARD_WIDTH / 2, part.width - part.axis);
  const body = isEmpty ? EMPTY_HEIGHT : part.height + ROW_GAP;
  return {
    width,
    height: LABEL_HEIGHT + ROW_GAP + body,
    axis,
    place(x, y) {
      const top = y + LABEL_HEIGHT + ROW_GAP;
      const empty = { x: x + axis - CARD_WIDTH / 2, y: top, width: CARD_WIDTH, height: EMPTY_HEIGHT };
      const box = { x: x + axis - CARD_WIDTH / 2, y, width: CARD_WIDTH, height: LABEL_HEIGHT };
      lists.push({ ...box, key, list, label, empty: isEmpty ? empty : null, needsSteps: needsSteps(list) });
      edges.push(edgeOf([x + axis, y + LABEL_HEIGHT], [x + axis, top], `${key}.start`));
      if (!isEmpty) {
        part.place(x + axis - part.axis, top);
        return;
      }
      const middle = { x: x + axis, y: top + EMPTY_HEIGHT / 2 };
      slots.push({ key: `${key}:0`, list: list.path, index: 0, empty: true, ...middle });
      stops.push({ key, ...middle });
    },
  };
}

const LABELS: Readonly<Record<string, string>> = {
  else: 'Otherwise',
  catch: 'When it fails',
  finally: 'Always at the end',
  on_error: 'When this step fails',
  compensate: 'To undo this step',
};
const BODY_LABELS = { foreach: 'For each item', while: 'Repeat', try: 'Try', branch: 'Steps', parallel: 'Steps' };

/** The heading of a list of a step: the condition of a case, the id of a branch, or what the list is for. */
export function labelOf(step: JsonObject, { key, path }: StepList): string {
  const [name = '', number] = key.split('.');
  if (number !== undefined) {
    const blocks = step[name];
    const block: unknown = Array.isArray(blocks) ? blocks[Number(path.at(-2))] : undefined;
    if (name === 'branches') return isObject(block) && typeof block.id === 'string' ? block.id : `Branch ${number}`;
    return isObject(block) && block.when !== undefined ? conditionText(block.when) : `Case ${number}`;
  }
  const type = blockTypeOf(step.type);
  return name === 'steps' && type !== null ? BODY_LABELS[type] : (LABELS[name] ?? name);
}

const conditionText = (when: unknown): string =>
  typeof when === 'string' ? when.replace(/^\s*\{\{\s*|\s*\}\}\s*$/g, '') : String(when);
