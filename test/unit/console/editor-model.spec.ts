import fc from 'fast-check';
import { stopToward } from '../../../console/src/model/canvas-keys';
import {
  configFields,
  jsonText,
  looksUnfinished,
  parsedText,
  plainValue,
} from '../../../console/src/model/config-form';
import {
  type JsonObject,
  mergeDocuments,
  parsePath,
  pathText,
  placesOf,
  setValue,
  valueAt,
} from '../../../console/src/model/document';
import { documentOf, editorStateOf, isDirty, reduceEditor } from '../../../console/src/model/editor-state';
import { changeBetween, pathAt, positionsOf, rangeOf } from '../../../console/src/model/json-positions';
import { layoutOf } from '../../../console/src/model/layout';
import { layoutWithin, stretchOf } from '../../../console/src/model/layout-window';
import { findTypes, nodeTypesOf } from '../../../console/src/model/node-types';
import { referencesAt } from '../../../console/src/model/references';
import {
  triggerFields,
  triggersOf,
  TRIGGER_CHOICES,
  withoutTrigger,
  withTrigger,
} from '../../../console/src/model/trigger-form';
import type { NodeTypeRow } from '../../../clients/typescript/src/api';
import { documents } from '../../support/console/random-document';

const step = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'set', config: {}, ...more });
const doc = (...steps: JsonObject[]): JsonObject => ({ id: 'd', trigger: { type: 'manual' }, steps });

describe('positions in the text of a document', () => {
  it('are those of its values', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const text = JSON.stringify(document, null, 2);
        for (const [path, { from, to }] of positionsOf(text)) {
          expect(JSON.parse(text.slice(from, to))).toEqual(valueAt(document, parsePath(path)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('lead from a cursor to its step', () => {
    const text = JSON.stringify(doc(step('a'), step('b', { config: { x: 'here' } })), null, 2);
    expect(pathText(pathAt(positionsOf(text), text.indexOf('here')))).toBe('steps[1].config.x');
  });

  it('are those of the nearest value around a path that is missing', () => {
    const text = JSON.stringify(doc(step('a')));
    const range = rangeOf(positionsOf(text), parsePath('steps[0].config.url'));
    expect(text.slice(range?.from, range?.to)).toBe('{}');
  });

  it.each(['', '{', '{"a":', '{"a": [1,', '[}', '{"a" 1}'])('end for the text %j, which is not valid', (text) => {
    expect(positionsOf(text).size).toBeGreaterThan(0);
  });

  it('of a change are as few as they can be', () => {
    expect(changeBetween('abcd', 'abXd')).toEqual({ from: 2, to: 3, insert: 'X' });
    expect(changeBetween('aa', 'aaa')).toEqual({ from: 2, to: 2, insert: 'a' });
    expect(changeBetween('same', 'same')).toBeNull();
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const change = changeBetween(before, after);
        const result =
          change === null ? before : before.slice(0, change.from) + change.insert + before.slice(change.to);
        expect(result).toBe(after);
      }),
    );
  });
});

describe('two documents that began as one', () => {
  const base = doc(step('a'), step('b'), step('c'));

  it('are joined when they changed different steps', () => {
    const mine = doc(step('a', { name: 'mine' }), step('b'), step('c'));
    const theirs = doc(step('a'), step('b', { config: { x: 1 } }), step('new'), step('c'));
    expect(mergeDocuments(base, mine, theirs)).toEqual({
      document: doc(step('a', { name: 'mine' }), step('b', { config: { x: 1 } }), step('new'), step('c')),
      conflicts: [],
    });
  });

  it('keep mine where both changed the same, and name the place', () => {
    const mine = doc(step('a', { name: 'mine' }), step('b'), step('c'));
    const theirs = doc(step('a', { name: 'theirs' }), step('c'));
    expect(mergeDocuments(base, mine, theirs)).toEqual({
      document: doc(step('a', { name: 'mine' }), step('c')),
      conflicts: ['steps[0].name'],
    });
  });

  it('lose no change of a step that the other side removed', () => {
    const changed = doc(step('a'), step('b', { name: 'work' }), step('c'));
    const removed = doc(step('a'), step('c'));
    for (const [mine, theirs] of [
      [changed, removed],
      [removed, changed],
    ] as const) {
      const { document, conflicts } = mergeDocuments(base, mine, theirs);
      expect(document).toEqual(changed);
      expect(conflicts).toHaveLength(1);
    }
  });

  it('are the other one where one has not changed', () => {
    fc.assert(
      fc.property(documents, documents, (document, other) => {
        expect(mergeDocuments(document, document, other)).toEqual({ document: other, conflicts: [] });
        expect(mergeDocuments(document, other, document)).toEqual({ document: other, conflicts: [] });
      }),
      { numRuns: 100 },
    );
  });
});

describe('the form of a configuration', () => {
  it('has required settings first, each with the control of its type', () => {
    const schema = {
      required: ['url'],
      properties: {
        method: { enum: ['GET', 'POST'], default: 'GET' },
        url: { type: 'string', title: 'URL' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        auth: { type: 'object', properties: { user: { type: 'string' } } },
        tags: { type: 'array', items: { type: 'string' } },
        body: {},
        limit: { type: 'integer' },
        safe: { type: 'boolean' },
        timeout: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        source: { type: 'string' },
      },
    };
    expect(configFields(schema).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'url text',
      'method choice',
      'headers map',
      'auth object',
      'tags texts',
      'body json',
      'limit number',
      'safe boolean',
      'timeout text',
      'source long',
    ]);
  });

  it('shows any value as a text that stands for it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        if (typeof plain === 'string' && plain.trim() === '') return;
        expect(parsedText(jsonText(plain))).toEqual(plain);
      }),
    );
  });

  it.each<[string, boolean]>([
    ['{"a": 1', true],
    ['[1, 2', true],
    ['{{ steps.a }}', false],
    ['{"a": 1}', false],
    ['text', false],
  ])('knows whether %s is unfinished', (text, unfinished) => {
    expect(looksUnfinished(text)).toBe(unfinished);
  });

  it.each<[string, JsonObject, unknown]>([
    ['5', { type: 'integer' }, 5],
    ['5', { type: 'string' }, '5'],
    ['{{ x }}', { type: 'integer' }, '{{ x }}'],
    ['true', { type: ['string', 'boolean'] }, true],
    ['', { type: 'string' }, undefined],
  ])('takes %j by %j as %j', (text, schema, value) => {
    expect(plainValue(text, schema)).toBe(value);
  });
});

describe('triggers', () => {
  it('become a list with the second, and one again without it', () => {
    const one = doc(step('a'));
    const two = withTrigger(one, 'schedule');
    expect(Object.keys(two)).toEqual(['id', 'triggers', 'steps']);
    expect(triggersOf(two).map(({ type }) => type)).toEqual(['manual', 'schedule']);
    expect(withoutTrigger(two, ['triggers', 1])).toEqual(one);
  });

  it('of every type have a title, and controls for their settings', () => {
    for (const { value, label } of TRIGGER_CHOICES) {
      expect(label).not.toBe(value);
      expect(triggerFields(value).every((field) => field.label !== '')).toBe(true);
    }
    expect(triggerFields('schedule').map(({ name }) => name)).toContain('timezone');
  });
});

describe('the arrow keys', () => {
  it('reach every step and every empty list', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { stops, steps, lists } = layoutOf(document);
        const reached: string[] = [];
        for (let key = stopToward(stops, undefined, 'down'); key !== undefined; key = stopToward(stops, key, 'down')) {
          if (reached.length > 0) expect(stopToward(stops, key, 'up')).toBe(reached.at(-1));
          reached.push(key);
        }
        const all = [...steps, ...lists.filter(({ empty }) => empty !== null)].map(({ key }) => key);
        expect(reached.toSorted()).toEqual(all.toSorted());
      }),
      { numRuns: 200 },
    );
  });

  it('go to the nearest column at the left and the right', () => {
    const branch = { id: 'if', type: 'branch', cases: [{ when: true, steps: [step('a')] }], else: [step('b')] };
    const { stops } = layoutOf(doc(branch));
    expect(stopToward(stops, 'steps[0].cases[0].steps[0]', 'right')).toBe('steps[0].else[0]');
    expect(stopToward(stops, 'steps[0].else[0]', 'left')).toBe('steps[0].cases[0].steps[0]');
    expect(stopToward(stops, 'steps[0].else[0]', 'right')).toBeUndefined();
  });
});

describe('the part of a drawing that is in sight', () => {
  it('has everything that touches it, and the step with the focus', () => {
    fc.assert(
      fc.property(documents, fc.nat(3_000), (document, top) => {
        const layout = layoutOf(document);
        const last = layout.steps.at(-1)?.key;
        const stretch = stretchOf(top, 800, 1);
        expect(stretch.from).toBeLessThanOrEqual(top);
        expect(stretch.to).toBeGreaterThanOrEqual(top + 800);
        const shown = new Set(layoutWithin(layout, stretch, last).steps.map(({ key }) => key));
        for (const { key, y, height } of layout.steps) {
          expect(shown.has(key)).toBe(key === last || (y < stretch.to && y + height > stretch.from));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the state of the editor', () => {
  const document = doc(step('a'), step('b'));

  it('is dirty until the document is saved, or is what was saved again', () => {
    let state = editorStateOf(document);
    expect(isDirty(state)).toBe(false);
    state = reduceEditor(state, { kind: 'edit', edit: setValue(document, ['steps', 0, 'name'], 'x') });
    expect(isDirty(state)).toBe(true);
    expect(isDirty(reduceEditor(state, { kind: 'undo' }))).toBe(false);
    expect(isDirty(reduceEditor(state, { kind: 'saved', document: documentOf(state) }))).toBe(false);
  });

  it('drops a selection that an undo has taken away, and shows why an edit is refused', () => {
    const selected = { ...editorStateOf(document), selection: ['steps[1]'] };
    const replaced = reduceEditor(selected, { kind: 'replace', document: doc(step('a')) });
    expect(replaced.selection).toEqual([]);
    expect(reduceEditor(selected, { kind: 'edit', edit: { ok: false, problem: 'No.' } })).toMatchObject({
      problem: 'No.',
      history: selected.history,
    });
  });
});

describe('values that a step can use', () => {
  const inner = { id: 'each', type: 'foreach', config: { items: [] }, steps: [step('in')] };

  it('are those of the steps before, with the members of the sample', () => {
    const sample = { trigger: { body: { id: 1 } }, steps: { a: { 'x y': 1, list: [] } } };
    const paths = referencesAt(doc(step('a'), step('b'), step('c')), 'b', sample).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['trigger.body.id', 'steps.a', 'steps.a["x y"]', 'steps.a.list']));
    expect(paths.some((path) => path.startsWith('steps.c') || path === 'loop.item')).toBe(false);
  });

  it('are those of the loop within one', () => {
    const paths = referencesAt(doc(inner), 'in', { trigger: null, steps: {} }).map(({ path }) => path);
    expect(paths).toContain('loop.item');
    expect(placesOf(doc(inner))).toHaveLength(2);
  });
});

describe('the types of steps', () => {
  const type = (name: string, title: string, more: Partial<NodeTypeRow> = {}): NodeTypeRow => ({
    type: name,
    version: 1,
    title,
    description: '',
    category: 'Data',
    kind: 'work',
    aliases: [],
    effect: 'pure',
    input: {},
    output: {},
    step: null,
    tool: null,
    connections: [],
    custom: false,
    icon: null,
    color: null,
    ...more,
  });
  const types = nodeTypesOf([
    type('slack.post_message', 'Slack: post a message', { category: 'Communication' }),
    type('http_request', 'HTTP request', { category: 'HTTP', aliases: ['http'] }),
    type('branch', 'Branch', { category: 'Control', kind: 'control', aliases: ['if'] }),
    type('poll_source', 'Source', { kind: 'trigger' }),
  ]);

  it('are grouped with control steps first', () => {
    expect(findTypes(types, '').map(({ category }) => category)).toEqual(['Control', 'HTTP', 'Communication']);
  });

  it.each([
    ['http', 'http_request'],
    ['if', 'branch'],
    ['post slack', 'slack.post_message'],
  ])('are found by %s', (query, found) => {
    expect(findTypes(types, query)[0]?.types[0]?.type).toBe(found);
  });

  it('are none where not every word is found', () => {
    expect(findTypes(types, 'http slack')).toEqual([]);
  });
});
