import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Layout } from '../../model/layout';
import { layoutWithin, stretchOf } from '../../model/layout-window';
import { IconButton } from '../button';
import { MinusIcon, PlusIcon } from '../icon';
import { Backdrop } from './backdrop';
import styles from './canvas.module.css';
import { Minimap } from './minimap';
import { watchScroller } from './watch-scroller';

const ZOOMS = [0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5] as const;
/** What stays in sight around the active step, in pixels. */
const MARGIN = 64;

interface ViewportProps {
  readonly layout: Layout;
  /** The step that is kept in sight, by its key in the layout. */
  readonly active: string | undefined;
  /** A step is dragged, so the pointer does not move the drawing. */
  readonly dragging?: boolean;
  /** Draws what is in sight over the lines and frames. */
  readonly children: (shown: Layout) => ReactNode;
}

type Scroller = { readonly current: HTMLDivElement | null };

/** A drawing of steps that is moved and zoomed; only what is in sight is drawn. */
export function Viewport({ layout, active, dragging = false, children }: ViewportProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const stretch = useStretch(scroller, zoom);
  const shown = useMemo(() => layoutWithin(layout, stretch, active), [layout, stretch, active]);
  useMiddle(scroller, layout);
  useScrollTo(scroller, layout, active, zoom);
  return (
    <div className={styles.canvas}>
      <div ref={scroller} className={styles.scroller} data-dragging={dragging || undefined} onPointerDown={pan}>
        <div className={styles.sheet} style={{ width: layout.width * zoom, height: layout.height * zoom }}>
          <div
            className={styles.drawing}
            style={{ width: layout.width, height: layout.height, transform: `scale(${zoom})` }}
          >
            <Backdrop layout={shown} />
            {children(shown)}
          </div>
        </div>
      </div>
      <Minimap layout={layout} scroller={scroller} zoom={zoom} />
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

/** Moves the drawing with the mouse where it is grabbed beside the steps. Fingers scroll by themselves. */
function pan(event: PointerEvent<HTMLDivElement>): void {
  const { currentTarget: scroller, target, pointerId, pointerType, button } = event;
  if (pointerType !== 'mouse' || button !== 0 || !(target instanceof Element)) return;
  if (target.closest('button, [role="option"]') !== null) return;
  // A press on the bars of the scroller is not in its inner area.
  if (event.nativeEvent.offsetX > scroller.clientWidth && target === scroller) return;
  let { clientX, clientY } = event;
  const move = (next: globalThis.PointerEvent): void => {
    scroller.scrollBy(clientX - next.clientX, clientY - next.clientY);
    ({ clientX, clientY } = next);
  };
  const end = (): void => {
    scroller.removeEventListener('pointermove', move);
    scroller.removeEventListener('pointerup', end);
    scroller.removeEventListener('pointercancel', end);
    delete scroller.dataset.panning;
  };
  scroller.dataset.panning = 'true';
  scroller.setPointerCapture(pointerId);
  scroller.addEventListener('pointermove', move);
  scroller.addEventListener('pointerup', end);
  scroller.addEventListener('pointercancel', end);
}

function zoomBy(zoom: number, step: 1 | -1): number {
  const at = ZOOMS.findIndex((each) => each >= zoom);
  return ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, at + step))] ?? 1;
}

/** What of the drawing is in sight. */
function useStretch(scroller: Scroller, zoom: number) {
  const [stretch, setStretch] = useState(() => stretchOf(0, window.innerHeight, zoom));
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      const next = stretchOf(element.scrollTop, element.clientHeight, zoom);
      setStretch((before) => (before.from === next.from && before.to === next.to ? before : next));
    };
    return watchScroller(element, look);
  }, [scroller, zoom]);
  return stretch;
}

/** A drawing that is wider than the screen is first shown with its beginning in the middle. */
function useMiddle(scroller: Scroller, layout: Layout): void {
  const { x, width } = layout.triggers;
  const first = useRef(x + width / 2);
  useLayoutEffect(() => {
    scroller.current?.scrollBy({ left: first.current - scroller.current.clientWidth / 2 });
  }, [scroller]);
}

/** Keeps the active step in view, without moving what is in view already. */
function useScrollTo(scroller: Scroller, layout: Layout, active: string | undefined, zoom: number): void {
  useEffect(() => {
    const element = scroller.current;
    const box =
      layout.steps.find(({ key }) => key === active) ?? layout.lists.find(({ key }) => key === active)?.empty ?? null;
    if (element === null || box === null) return;
    const [left, top] = [box.x * zoom - MARGIN, box.y * zoom - MARGIN];
    const [right, bottom] = [(box.x + box.width) * zoom + MARGIN, (box.y + box.height) * zoom + MARGIN];
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    const x = left < scrollLeft ? left : right > scrollLeft + clientWidth ? right - clientWidth : scrollLeft;
    const y = top < scrollTop ? top : bottom > scrollTop + clientHeight ? bottom - clientHeight : scrollTop;
    if (x !== scrollLeft || y !== scrollTop) element.scrollTo({ left: x, top: y });
  }, [scroller, layout, active, zoom]);
}
