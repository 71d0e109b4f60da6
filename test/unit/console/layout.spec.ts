import fc from 'fast-check';
import type { JsonObject } from '../../../console/src/model/document';
import { listsOf, placesOf, pathText } from '../../../console/src/model/document';
import { type Layout, layoutOf } from '../../../console/src/model/layout';
import { TEMPLATES } from '../../../console/src/model/templates';
import { goldens } from '../../golden/golden';
import { documents } from '../../support/console/random-document';

interface Box {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const contains = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Everything that is drawn over something else. */
function faultsOf(layout: Layout): string[] {
  const { steps, lists, frames, triggers, width, height } = layout;
  const empty = lists.flatMap(({ key, empty: box }) => (box === null ? [] : [{ key: `empty ${key}`, ...box }]));
  const labels = lists.filter(({ label }) => label !== '').map((list) => ({ ...list, key: `label ${list.key}` }));
  const boxes: Box[] = [{ key: 'triggers', ...triggers }, ...steps, ...empty, ...labels];
  const page = { key: 'page', x: 0, y: 0, width, height };
  const faults = [...boxes, ...frames].flatMap((box) =>
    contains(page, box) ? [] : [`${box.key} is outside of the page`],
  );
  for (const [index, a] of boxes.entries()) {
    for (const b of boxes.slice(index + 1)) if (overlap(a, b)) faults.push(`${a.key} overlaps ${b.key}`);
  }
  for (const frame of frames) {
    for (const step of steps) {
      const isInner = step.key === frame.key || step.key.startsWith(`${frame.key}.`);
      if (isInner ? !contains(frame, step) : overlap(frame, step))
        faults.push(`${step.key} is not beside ${frame.key}`);
    }
  }
  return faults;
}

/** Faults of a drawing, and steps that it does not have. */
function drawingFaults(document: JsonObject): string[] {
  const layout = layoutOf(document);
  const drawn = new Set(layout.steps.map(({ key }) => key));
  const places = placesOf(document).map(({ path }) => pathText(path));
  const missing = places.filter((key) => !drawn.has(key)).map((key) => `${key} is missing`);
  return [...faultsOf(layout), ...missing, ...(drawn.size === places.length ? [] : ['a step is drawn twice'])];
}

describe('the layout of a document', () => {
  it('draws random documents without overlaps', () => {
    fc.assert(
      fc.property(documents, (document) => expect(drawingFaults(document)).toEqual([])),
      { numRuns: 1_000 },
    );
  });

  it.each(goldens.map(({ file, document }) => [file, document] as const))(
    'draws %s without overlaps',
    (_file, document) => {
      expect(drawingFaults(document as unknown as JsonObject)).toEqual([]);
    },
  );

  it.each(TEMPLATES.map(({ name, dsl }) => [name, dsl] as const))(
    'draws the template %s without overlaps',
    (_name, dsl) => {
      expect(drawingFaults(dsl as unknown as JsonObject)).toEqual([]);
    },
  );

  it('has a place to add a step for each position of a list', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const slots = new Set(layoutOf(document).slots.map(({ list, index }) => `${pathText(list)}:${index}`));
        for (const { path, steps } of listsOf(document)) expect(slots).toContain(`${pathText(path)}:${steps.length}`);
      }),
      { numRuns: 100 },
    );
  });

  it('places steps with needs below what they wait for, and independent ones side by side', () => {
    const step = (id: string, needs?: string[]) => ({ id, type: 'set', ...(needs === undefined ? {} : { needs }) });
    const { steps, edges } = layoutOf({
      steps: [step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c'])],
    });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => steps.find(({ step: { id: own } }) => own === id));
    expect(b?.y).toBe(c?.y);
    expect(b?.x).not.toBe(c?.x);
    expect(a?.y).toBeLessThan(b?.y ?? 0);
    expect(d?.y).toBeGreaterThan(c?.y ?? 0);
    expect(edges).toHaveLength(1 + 4);
  });

  it('ends for steps that wait for each other', () => {
    const steps = [
      { id: 'a', type: 'set', needs: ['b'] },
      { id: 'b', type: 'set', needs: ['a'] },
    ];
    expect(drawingFaults({ steps })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['without steps', {}],
    ['with steps that are no objects', { steps: [null, 3, 'x'], on_error: [] }],
    [
      'with blocks that are no lists',
      {
        steps: [
          { id: 'a', type: 'branch', cases: 4, else: {} },
          { type: 'try', steps: null },
        ],
      },
    ],
  ])('draws a document %s', (_what, document) => {
    expect(drawingFaults(document)).toEqual([]);
  });

  it('has the paths of plans, by which a run names its steps', () => {
    const dsl = TEMPLATES.find(({ name }) => name === 'Parallel checks')?.dsl as unknown as JsonObject;
    expect(layoutOf(dsl).steps.map(({ planPath }) => planPath)).toContain('checks/branches.1/ask_credit');
  });

  it('draws 500 steps in less than 20 ms', () => {
    const steps = Array.from({ length: 50 }, (_, outer) => ({
      id: `each${outer}`,
      type: 'foreach',
      steps: Array.from({ length: 9 }, (_item, inner) => ({ id: `s${outer}_${inner}`, type: 'set' })),
    }));
    // The shortest of several: other processes may take the processor.
    const times = Array.from({ length: 8 }, () => {
      const began = performance.now();
      layoutOf({ steps });
      return performance.now() - began;
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });
});
