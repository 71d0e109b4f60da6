import { type KeyboardEvent, type MouseEvent, useCallback, useMemo, useRef, useState } from 'react';
import { moveSteps, parsePath, pathText, placeAround, placesOf, type Target } from '../../model/document';
import { documentOf, selectedPaths } from '../../model/editor-state';
import { layoutOf } from '../../model/layout';
import { stepChanges } from '../../model/step-changes';
import { triggersOf, triggerTitle } from '../../model/trigger-form';
import { StepsListbox } from '../../ui/canvas/steps-listbox';
import { TriggersCard } from '../../ui/canvas/triggers-card';
import { Viewport } from '../../ui/canvas/viewport';
import { EmptyPlace, Slots } from './canvas-parts';
import { useEditor } from './editor-context';
import { StepCard } from './step-card';

interface CanvasProps {
  /** Opens the list of types for a place. */
  readonly onAdd: (target: Target) => void;
  /** The place that the list of types is open for. */
  readonly adding: Target | null;
  /** Opens the panel of a step. */
  readonly onOpen: (key: string, byKeyboard?: boolean) => void;
  /** The selection was moved by an arrow key. */
  readonly onMove: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly statuses: Readonly<Record<string, string>>;
}

/** The document as blocks. Steps are the options of a list box: arrow keys go to the nearest in their direction. */
export function Canvas({ onAdd, adding, onOpen, onMove, onKey, statuses }: CanvasProps) {
  const { state, dispatch, edit, typeOf, problems, openPanel, comparison } = useEditor();
  const document = documentOf(state);
  const layout = useMemo(() => layoutOf(document), [document]);
  const counts = useMemo(() => countsOf(document, problems), [document, problems]);
  const changes = useMemo(() => stepChanges(comparison?.diff), [comparison]);
  const listbox = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const selected = useMemo(() => new Set(state.selection), [state.selection]);
  const active = state.selection.at(-1);

  const latest = useRef({ selection: state.selection, onOpen });
  latest.current = { selection: state.selection, onOpen };
  const onSelect = useCallback(
    (key: string, event: MouseEvent): void => {
      const { selection } = latest.current;
      listbox.current?.focus({ preventScroll: true });
      if (event.shiftKey || event.ctrlKey || event.metaKey) {
        const others = selection.filter((each) => each !== key);
        dispatch({ kind: 'select', keys: others.length < selection.length ? others : [...others, key] });
      } else {
        dispatch({ kind: 'select', keys: [key] });
        latest.current.onOpen(key);
      }
    },
    [dispatch],
  );
  const positions = useMemo(() => new Map(layout.stops.map(({ key }, index) => [key, index + 1])), [layout]);

  const move = (next: string, { shiftKey }: KeyboardEvent): void => {
    onMove();
    dispatch({ kind: 'select', keys: shiftKey ? [...state.selection.filter((key) => key !== next), next] : [next] });
  };
  const enter = (key: string): void => {
    const empty = layout.lists.find((list) => list.key === key);
    if (empty === undefined) onOpen(key, true);
    else onAdd({ list: empty.list.path, index: 0 });
  };

  const drop = useCallback(
    (target: Target): void => {
      if (dragged === null) return;
      const paths = selected.has(dragged) ? selectedPaths(state) : [parsePath(dragged)];
      setDragged(null);
      edit(moveSteps(document, paths, target));
    },
    [document, dragged, edit, selected, state],
  );

  const types = triggersOf(document).map(({ type }) => triggerTitle(type));
  return (
    <Viewport layout={layout} active={active} dragging={dragged !== null}>
      {(shown) => (
        <>
          <TriggersCard
            layout={layout}
            name={types.length > 1 ? 'Triggers' : 'Trigger'}
            kind={types.length === 0 ? 'None yet' : types.join(', ')}
            onOpen={() => openPanel('triggers')}
          />
          <StepsListbox
            element={listbox}
            label="Steps"
            layout={layout}
            active={active}
            multiple
            onMove={move}
            onEnter={enter}
            onKey={onKey}
            onFocus={() => {
              const [first] = layout.stops;
              if (active === undefined && first !== undefined) dispatch({ kind: 'select', keys: [first.key] });
            }}
          >
            {shown.steps.map((item) => (
              <StepCard
                key={item.key}
                item={item}
                type={typeOf(item.step.type)}
                selected={selected.has(item.key)}
                active={item.key === active}
                errors={counts.get(item.key)?.errors ?? 0}
                warnings={counts.get(item.key)?.warnings ?? 0}
                status={statuses[item.planPath]}
                change={changes.get(String(item.step.id))}
                position={positions.get(item.key) ?? 0}
                count={layout.stops.length}
                onSelect={onSelect}
                onDrag={setDragged}
              />
            ))}
            {shown.lists.map((list) => (
              <EmptyPlace key={list.key} list={list} selected={list.key === active} onAdd={onAdd} />
            ))}
          </StepsListbox>
          <Slots layout={shown} adding={adding} onAdd={onAdd} onDrop={dragged === null ? null : drop} />
        </>
      )}
    </Viewport>
  );
}

interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

/** Numbers of findings by the step that they are about. */
function countsOf(
  document: Parameters<typeof placesOf>[0],
  {
    errors,
    warnings,
  }: { readonly errors: readonly { path: string }[]; readonly warnings: readonly { path: string }[] },
): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  if (errors.length + warnings.length === 0) return counts;
  const places = placesOf(document);
  const add = (path: string, more: Counts): void => {
    const place = placeAround(places, parsePath(path));
    if (place === undefined) return;
    const key = pathText(place.path);
    const { errors: e, warnings: w } = counts.get(key) ?? { errors: 0, warnings: 0 };
    counts.set(key, { errors: e + more.errors, warnings: w + more.warnings });
  };
  for (const { path } of errors) add(path, { errors: 1, warnings: 0 });
  for (const { path } of warnings) add(path, { errors: 0, warnings: 1 });
  return counts;
}
