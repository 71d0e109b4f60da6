import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Direction, stopToward } from '../../model/canvas-keys';
import { moveSteps, parsePath, pathText, placeAround, placesOf, type Target } from '../../model/document';
import { documentOf, selectedPaths } from '../../model/editor-state';
import { type Layout, layoutOf } from '../../model/layout';
import { layoutWithin, stretchOf } from '../../model/layout-window';
import { IconButton } from '../../ui';
import { MinusIcon, PlusIcon } from '../../ui/icon';
import { Backdrop, EmptyPlace, Slots, Triggers } from './canvas-parts';
import { useEditor } from './editor-context';
import { domId, StepCard } from './step-card';
import styles from './canvas.module.css';

const ZOOMS = [0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5] as const;
const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

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
  const { state, dispatch, edit, typeOf, problems, openPanel } = useEditor();
  const document = documentOf(state);
  const layout = useMemo(() => layoutOf(document), [document]);
  const counts = useMemo(() => countsOf(document, problems), [document, problems]);
  const scroller = useRef<HTMLDivElement>(null);
  const listbox = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
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
  const stretch = useStretch(scroller, zoom);
  const shown = useMemo(() => layoutWithin(layout, stretch, active), [layout, stretch, active]);
  const positions = useMemo(() => new Map(layout.stops.map(({ key }, index) => [key, index + 1])), [layout]);
  useScrollTo(scroller, layout, active, zoom);

  const press = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const next = stopToward(layout.stops, active, direction);
      if (next === undefined) return;
      onMove();
      dispatch({
        kind: 'select',
        keys: event.shiftKey ? [...state.selection.filter((key) => key !== next), next] : [next],
      });
      return;
    }
    const empty = layout.lists.find(({ key }) => key === active);
    if (event.key === 'Enter' && active !== undefined) {
      event.preventDefault();
      if (empty === undefined) onOpen(active, true);
      else onAdd({ list: empty.list.path, index: 0 });
      return;
    }
    onKey(event);
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

  return (
    <div className={styles.canvas}>
      <div ref={scroller} className={styles.scroller} data-dragging={dragged !== null || undefined}>
        <div className={styles.sheet} style={{ width: layout.width * zoom, height: layout.height * zoom }}>
          <div
            className={styles.drawing}
            style={{ width: layout.width, height: layout.height, transform: `scale(${zoom})` }}
          >
            <Backdrop layout={shown} />
            <Triggers layout={layout} document={document} onOpen={() => openPanel('triggers')} />
            <div
              ref={listbox}
              role="listbox"
              tabIndex={0}
              aria-label="Steps"
              aria-multiselectable="true"
              aria-activedescendant={active === undefined ? undefined : domId(active)}
              className={styles.steps}
              onKeyDown={press}
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
                  position={positions.get(item.key) ?? 0}
                  count={layout.stops.length}
                  onSelect={onSelect}
                  onDrag={setDragged}
                />
              ))}
              {shown.lists.map((list) => (
                <EmptyPlace key={list.key} list={list} selected={list.key === active} onAdd={onAdd} />
              ))}
            </div>
            <Slots layout={shown} adding={adding} onAdd={onAdd} onDrop={dragged === null ? null : drop} />
          </div>
        </div>
      </div>
      <div className={styles.zoom} role="group" aria-label="Zoom">
        <IconButton icon={MinusIcon} label="Smaller" size="small" onClick={() => setZoom(zoomBy(zoom, -1))} />
        <button type="button" className={styles.zoomValue} onClick={() => setZoom(1)} aria-label="Zoom to 100 %">
          {`${Math.round(zoom * 100)} %`}
        </button>
        <IconButton icon={PlusIcon} label="Larger" size="small" onClick={() => setZoom(zoomBy(zoom, 1))} />
      </div>
    </div>
  );
}

function zoomBy(zoom: number, step: 1 | -1): number {
  const at = ZOOMS.findIndex((each) => each >= zoom);
  return ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, at + step))] ?? 1;
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

/** What of the drawing is in sight. */
function useStretch(scroller: { readonly current: HTMLDivElement | null }, zoom: number) {
  const [stretch, setStretch] = useState(() => stretchOf(0, window.innerHeight, zoom));
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      const next = stretchOf(element.scrollTop, element.clientHeight, zoom);
      setStretch((before) => (before.from === next.from && before.to === next.to ? before : next));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, zoom]);
  return stretch;
}

/** Keeps the active step in view, without moving what is in view already. */
function useScrollTo(
  scroller: { readonly current: HTMLDivElement | null },
  layout: Layout,
  active: string | undefined,
  zoom: number,
): void {
  useEffect(() => {
    const element = scroller.current;
    const box =
      layout.steps.find(({ key }) => key === active) ?? layout.lists.find(({ key }) => key === active)?.empty ?? null;
    if (element === null || box === null) return;
    const margin = 64;
    const [left, top] = [box.x * zoom - margin, box.y * zoom - margin];
    const [right, bottom] = [(box.x + box.width) * zoom + margin, (box.y + box.height) * zoom + margin];
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    const x = left < scrollLeft ? left : right > scrollLeft + clientWidth ? right - clientWidth : scrollLeft;
    const y = top < scrollTop ? top : bottom > scrollTop + clientHeight ? bottom - clientHeight : scrollTop;
    if (x !== scrollLeft || y !== scrollTop) element.scrollTo({ left: x, top: y });
  }, [scroller, layout, active, zoom]);
}
