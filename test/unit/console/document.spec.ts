import fc from 'fast-check';
import { validateDocument } from '../../../dsl';
import {
  addBlock,
  blockTypeOf,
  changed,
  copiedText,
  duplicateSteps,
  type Edit,
  editOfPaste,
  historyOf,
  idsOf,
  insertSteps,
  type JsonObject,
  listsOf,
  moveSteps,
  newStep,
  parsePath,
  type Path,
  pasted,
  pathText,
  placesOf,
  redone,
  removeList,
  removeSteps,
  renameStep,
  setValue,
  shiftSteps,
  undone,
  unwrapStep,
  wrapSteps,
} from '../../../console/src/model/document';
import { TEMPLATES } from '../../../console/src/model/templates';
import { goldens } from '../../golden/golden';
import { documents } from '../../support/console/random-document';
import { builtIn } from '../../support/vocabulary';

const errorsOf = (document: JsonObject) => validateDocument(document, { nodeTypes: builtIn }).errors;
const step = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'set', config: {}, ...more });
const documentOf = (...steps: JsonObject[]): JsonObject => ({ id: 'd', trigger: { type: 'manual' }, steps });
const done = (edit: Edit): JsonObject => {
  if (!edit.ok) throw new Error(edit.problem);
  return edit.document;
};
const problemOf = (edit: Edit): string => (edit.ok ? 'none' : edit.problem);

/** What a user can do, with numbers that choose the place. */
type Act = readonly [kind: number, first: number, second: number];
const acts = fc.array(fc.tuple(fc.nat(10), fc.nat(200), fc.nat(200)), { minLength: 1, maxLength: 12 });

function act(document: JsonObject, [kind, first, second]: Act): Edit {
  const [places, lists] = [placesOf(document), listsOf(document)];
  const path = (at: number): Path => places[at % places.length]?.path ?? ['steps', 0];
  const list = lists[second % lists.length];
  const target = { list: list?.path ?? ['steps'], index: second % ((list?.steps.length ?? 0) + 1) };
  const edits: readonly (() => Edit)[] = [
    () => insertSteps(document, target, [newStep('set', 's1')]),
    () => removeSteps(document, [path(first)]),
    () => moveSteps(document, [path(first), path(second)], target),
    () => shiftSteps(document, [path(first)], second % 2 === 0 ? 1 : -1),
    () => duplicateSteps(document, [path(first)]),
    () => renameStep(document, path(first), `renamed${second}`),
    () => wrapSteps(document, [path(first)], (['foreach', 'try', 'branch', 'while'] as const)[second % 4] ?? 'try'),
    () => unwrapStep(document, path(first)),
    () => setValue(document, [...path(first), 'name'], `Step ${second}`),
    () => addBlock(document, path(first)),
    () => insertSteps(document, target, [places[first % places.length]?.step ?? step('s1')]),
  ];
  return (edits[kind] as () => Edit)();
}

/** What is left to the user after a structural edit; the editor shows it at the step. */
const LEFT_TO_THE_USER =
  /needs at least one step|at least one|empty|steps that come before|let the step|is inside|runs after|runs only|in another branch|may not have run|holds this step|no step has the id|unknown step|wait for each other|is this step itself/i;

describe('edits of a document', () => {
  it('refuse to name a step that is gone', () => {
    expect(problemOf(renameStep(documentOf(), ['steps', 0], 'a'))).toMatch('no step at this place');
  });

  it('keep ids unique and every other rule of structure, whatever is done', () => {
    fc.assert(
      fc.property(documents, acts, (document, all) => {
        expect(errorsOf(document)).toEqual([]);
        let current = document;
        for (const each of all) {
          const edit = act(current, each);
          if (edit.ok) current = edit.document;
          else expect(edit.problem).toMatch(/^[A-Z].{10,}/);
        }
        const ids = placesOf(current).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const unexplained = errorsOf(current).filter(
          ({ message, hint }) => !LEFT_TO_THE_USER.test(`${message}; ${hint ?? ''}`),
        );
        expect(unexplained).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('select steps that are there', () => {
    fc.assert(
      fc.property(documents, acts, (document, all) => {
        let current = document;
        for (const each of all) {
          const edit = act(current, each);
          if (!edit.ok) continue;
          current = edit.document;
          const paths = new Set(placesOf(current).map(({ path }) => pathText(path)));
          for (const path of edit.select) expect(paths).toContain(pathText(path));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leave the document that they were given as it was', () => {
    fc.assert(
      fc.property(documents, acts, (document, all) => {
        const before = JSON.stringify(document);
        for (const each of all) act(document, each);
        expect(JSON.stringify(document)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  it('are undone to the very same documents, and done again', () => {
    fc.assert(
      fc.property(documents, acts, (document, all) => {
        let history = historyOf(document);
        const states = [document];
        for (const each of all) {
          const edit = act(history.present, each);
          if (!edit.ok || edit.document === history.present) continue;
          history = changed(history, edit.document);
          states.push(history.present);
        }
        for (const state of states.toReversed()) {
          expect(history.present).toBe(state);
          history = undone(history);
        }
        for (const state of states.slice(1)) {
          history = redone(history);
          expect(history.present).toBe(state);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keep the order of keys through the text of the document and back', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const text = JSON.stringify(document, null, 2);
        expect(JSON.stringify(JSON.parse(text), null, 2)).toBe(text);
        const [first] = placesOf(document);
        const changedOnce = done(setValue(document, [...(first?.path ?? []), 'name'], 'x'));
        const back = done(setValue(changedOnce, [...(first?.path ?? []), 'name'], undefined));
        expect(JSON.stringify(back, null, 2)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  const samples = [
    ...goldens.map(({ file, document }) => [file, document as unknown as JsonObject] as const),
    ...TEMPLATES.map(({ name, dsl }) => [name, dsl as unknown as JsonObject] as const),
  ];
  it.each(samples)('leave %s byte-equal when nothing changes', (_name, document) => {
    const text = JSON.stringify(document);
    for (const { path, step: each, list, index } of placesOf(document)) {
      for (const [key, value] of Object.entries(each)) {
        expect(JSON.stringify(done(setValue(document, [...path, key], value)))).toBe(text);
      }
      expect(JSON.stringify(done(renameStep(document, path, String(each.id))))).toBe(text);
      expect(JSON.stringify(done(moveSteps(document, [path], { list: list.path, index })))).toBe(text);
    }
  });
});

describe('steps are placed', () => {
  it('in any list, with an id that is free', () => {
    const document = documentOf(step('set'), {
      id: 'if',
      type: 'branch',
      cases: [{ when: true, steps: [step('in')] }],
    });
    const edit = insertSteps(document, { list: ['steps', 1, 'else'], index: 0 }, [newStep('set', 'set')]);
    expect(done(edit)).toMatchObject({ steps: [{}, { else: [{ id: 'set_2' }] }] });
    expect(edit).toMatchObject({ select: [['steps', 1, 'else', 0]] });
  });

  it('with references among them that follow their new ids', () => {
    const copied = [step('a'), step('b', { config: { x: '{{ steps.a.y + steps["a"].z }}' }, needs: ['a'] })];
    const document = done(insertSteps(documentOf(step('a')), { list: ['steps'], index: 1 }, copied));
    expect(document.steps).toEqual([
      step('a'),
      step('a_2'),
      step('b', { config: { x: '{{ steps.a_2.y + steps["a_2"].z }}' }, needs: ['a_2'] }),
    ]);
  });

  it('by moving them within and between lists', () => {
    const block = { id: 'each', type: 'foreach', config: { items: [] }, steps: [step('in')] };
    const document = documentOf(step('a'), step('b'), block);
    const into = moveSteps(document, [['steps', 0]], { list: ['steps', 2, 'steps'], index: 1 });
    expect(placesOf(done(into)).map(({ planPath }) => planPath)).toEqual([
      'b',
      'each',
      'each/steps/in',
      'each/steps/a',
    ]);
    expect(into).toMatchObject({ select: [['steps', 1, 'steps', 1]] });
    const out = done(moveSteps(done(into), [['steps', 1, 'steps', 1]], { list: ['steps'], index: 0 }));
    expect(out).toEqual(document);
  });

  it('not into themselves', () => {
    const document = documentOf({ id: 'each', type: 'foreach', config: { items: [] }, steps: [step('in')] });
    const into = moveSteps(document, [['steps', 0]], { list: ['steps', 0, 'steps'], index: 0 });
    expect(problemOf(into)).toBe('A step cannot be moved into itself');
  });

  it('within the bounds of the language', () => {
    const many = documentOf(...Array.from({ length: 500 }, (_, index) => step(`s${index}`)));
    expect(problemOf(insertSteps(many, { list: ['steps'], index: 0 }, [step('one')]))).toMatch('at most 500 steps');
    const deep = (depth: number): JsonObject =>
      depth === 0 ? step('in') : { id: `t${depth}`, type: 'try', steps: [deep(depth - 1)] };
    const innermost = placesOf(documentOf(deep(9))).at(-1)?.path ?? [];
    expect(problemOf(wrapSteps(documentOf(deep(9)), [innermost], 'try'))).toMatch('at most 10 deep');
  });

  it('without the needs of steps that are gone', () => {
    const document = documentOf(step('a'), step('b', { needs: ['a'] }), step('c', { needs: ['a', 'b'] }));
    expect(done(removeSteps(document, [['steps', 0]])).steps).toEqual([step('b'), step('c', { needs: ['b'] })]);
  });
});

describe('the id of a step', () => {
  it('changes with every reference to it, and in nothing else', () => {
    const document = {
      ...documentOf(
        step('a'),
        step('b', {
          needs: ['a'],
          if: '{{ exists(steps.a.x) }}',
          config: {
            text: 'steps.a is {{ steps.a.x | upper }} and {{ steps.ab.x }} and "{{ "steps.a" }}"',
            link: '{{ approval_link("a", "approve") }} {{ "a" | approval_link("reject") }}',
            steps: { a: 1 },
          },
        }),
        { id: 'js', type: 'code', config: { source: 'return steps.a.x + steps["a"].y + other.steps.a' } },
      ),
      output: '{{ steps.a }}',
    };
    expect(done(renameStep(document, ['steps', 0], 'new-id'))).toEqual({
      ...documentOf(
        step('new-id'),
        step('b', {
          needs: ['new-id'],
          if: '{{ exists(steps.new-id.x) }}',
          config: {
            text: 'steps.a is {{ steps.new-id.x | upper }} and {{ steps.ab.x }} and "{{ "steps.a" }}"',
            link: '{{ approval_link("new-id", "approve") }} {{ "new-id" | approval_link("reject") }}',
            steps: { a: 1 },
          },
        }),
        { id: 'js', type: 'code', config: { source: 'return steps["new-id"].x + steps["new-id"].y + other.steps.a' } },
      ),
      output: '{{ steps.new-id }}',
    });
  });

  it.each([
    ['9a', 'An id is a letter'],
    ['b', 'Another step has the id b'],
  ])('is not %s', (id, problem) => {
    expect(problemOf(renameStep(documentOf(step('a'), step('b')), ['steps', 0], id))).toMatch(problem);
  });
});

describe('blocks', () => {
  it('hold consecutive steps that are wrapped, which unwrapping takes out again', () => {
    const document = documentOf(step('a'), step('b'), step('c'));
    const wrapped = done(
      wrapSteps(
        document,
        [
          ['steps', 0],
          ['steps', 1],
        ],
        'try',
      ),
    );
    expect(wrapped.steps).toEqual([
      { id: 'try', type: 'try', steps: [step('a'), step('b')], catch: [], finally: [] },
      step('c'),
    ]);
    expect(done(unwrapStep(wrapped, ['steps', 0]))).toEqual(document);
    expect(
      problemOf(
        wrapSteps(
          document,
          [
            ['steps', 0],
            ['steps', 2],
          ],
          'try',
        ),
      ),
    ).toMatch('follow each other');
  });

  it.each(['branch', 'parallel', 'foreach', 'while', 'try', 'set'])(
    'a new step of type %s is valid once it has steps',
    (type) => {
      const document = documentOf(newStep(type, 'new', blockTypeOf(type) === null ? [] : [step('in')]));
      const filled = listsOf(document)
        .filter(({ key, steps }) => steps.length === 0 && key.startsWith('branches'))
        .reduce((next, { path }) => done(insertSteps(next, { list: path, index: 0 }, [step('in')])), document);
      expect(errorsOf(filled)).toEqual([]);
    },
  );

  it('get another part, and lose one', () => {
    const document = documentOf({ id: 'if', type: 'branch', cases: [{ when: true, steps: [step('in')] }] });
    const more = done(addBlock(document, ['steps', 0]));
    expect(listsOf(more).map(({ key }) => key)).toEqual(['', 'cases.0', 'cases.1', 'else']);
    expect(done(removeList(more, ['steps', 0, 'cases', 1, 'steps']))).toEqual(document);
  });
});

describe('the history', () => {
  it('takes letters of one field as one change', () => {
    let history = historyOf('');
    for (const text of ['a', 'ab', 'abc']) history = changed(history, text, 'name');
    history = changed(history, 'abcd', 'other');
    expect(undone(history).present).toBe('abc');
    expect(undone(undone(history)).present).toBe('');
  });

  it('forgets what was undone when something else is done', () => {
    const history = changed(undone(changed(historyOf(1), 2)), 3);
    expect(redone(history)).toBe(history);
    expect(undone(history).present).toBe(1);
  });
});

describe('the clipboard', () => {
  it('has steps as JSON', () => {
    const document = documentOf(step('a'), step('b'));
    const text = copiedText(document, [
      ['steps', 1],
      ['steps', 0],
    ]);
    expect(pasted(JSON.parse(text))).toEqual({ steps: [step('a'), step('b')] });
    expect(idsOf(done(insertSteps(document, { list: ['steps'], index: 2 }, JSON.parse(text) as JsonObject[])))).toEqual(
      new Set(['a', 'b', 'a_2', 'b_2']),
    );
  });

  it.each<[unknown, unknown]>([
    [step('a'), { steps: [step('a')] }],
    [documentOf(step('a')), { document: documentOf(step('a')) }],
    [[step('a'), 4], null],
    ['text', null],
    [{}, null],
  ])('takes %j as %j', (value, result) => {
    expect(pasted(value)).toEqual(result);
  });
});

describe('a pasted text', () => {
  const document = documentOf(step('a'), { id: 'each', type: 'foreach', config: { items: [] }, steps: [] });

  it.each([
    ['JSON', JSON.stringify([step('new')])],
    ['YAML', '- id: new\n  type: set\n  config: {}\n'],
  ])('of steps as %s comes after the selected step, or into the selected list', async (_kind, text) => {
    const after = await editOfPaste(text, document, ['steps[0]']);
    expect(placesOf(done(after)).map(({ planPath }) => planPath)).toEqual(['a', 'new', 'each']);
    const into = await editOfPaste(text, document, ['steps[1].steps']);
    expect(placesOf(done(into)).map(({ planPath }) => planPath)).toEqual(['a', 'each', 'each/steps/new']);
  });

  it('of a whole workflow replaces the document', async () => {
    expect(done(await editOfPaste('id: w\nsteps:\n  - id: a\n    type: set\n', document, []))).toEqual({
      id: 'w',
      steps: [{ id: 'a', type: 'set' }],
    });
  });

  it.each(['hello', '[1, 2]', ': :\n  - {'])('that is none of these is refused: %s', async (text) => {
    expect(problemOf(await editOfPaste(text, document, []))).toMatch('has no steps');
  });
});

describe('paths', () => {
  it.each([['steps[2].cases[0].steps[1].config.url'], ['steps[0].config["a b"].x'], ['output'], ['']])(
    '%s is read and written',
    (text) => {
      expect(pathText(parsePath(text))).toBe(text);
    },
  );
});
