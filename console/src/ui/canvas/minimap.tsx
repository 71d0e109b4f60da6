import { type PointerEvent, useEffect, useMemo, useState } from 'react';
import type { Layout } from '../../model/layout';
import { isLarger, minimapOf, sightIn } from '../../model/minimap';
import styles from './canvas.module.css';
import { watchScroller } from './watch-scroller';

interface MinimapProps {
  readonly layout: Layout;
  readonly scroller: { readonly current: HTMLDivElement | null };
  readonly zoom: number;
}

/**
 * All steps in small, with what is in sight; a press moves there. For the pointer alone: arrow keys and the search
 * of steps reach the same.
 */
export function Minimap({ layout, scroller, zoom }: MinimapProps) {
  const sight = useSight(scroller, zoom);
  const map = useMemo(() => minimapOf(layout), [layout]);
  if (sight === null || !isLarger(layout, sight)) return null;
  const go = (event: PointerEvent<SVGSVGElement>): void => {
    if (event.buttons !== 1) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    event.currentTarget.setPointerCapture(event.pointerId);
    scroller.current?.scrollTo({
      left: ((event.clientX - left) / map.scaleX - sight.width / 2) * zoom,
      top: ((event.clientY - top) / map.scaleY - sight.height / 2) * zoom,
    });
  };
  return (
    <svg
      className={styles.minimap}
      width={map.width}
      height={map.height}
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    >
      <path className={styles.minimapSteps} d={map.path} />
      <rect className={styles.minimapSight} rx="2" {...sightIn(map, sight)} />
    </svg>
  );
}

/** The part of the drawing that is in sight, in its own pixels. */
function useSight(scroller: MinimapProps['scroller'], zoom: number) {
  const [sight, setSight] = useState<{ x: number; y: number; width: number; height: number } | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
      setSight({ x: scrollLeft / zoom, y: scrollTop / zoom, width: clientWidth / zoom, height: clientHeight / zoom });
    };
    return watchScroller(element, look);
  }, [scroller, zoom]);
  return sight;
}
