import type { Layout } from './layout';

/** A stretch of a drawing, in its own pixels from the top. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Windows begin and end at multiples of this, so that a scroll draws something new rarely. */
const GRAIN = 512;

/** The stretch that is in sight, with as much above and below. */
export function stretchOf(scrollTop: number, height: number, zoom: number): Stretch {
  const [top, bottom] = [scrollTop / zoom, (scrollTop + height) / zoom];
  return {
    from: Math.floor((top - GRAIN) / GRAIN) * GRAIN,
    to: Math.ceil((bottom + GRAIN) / GRAIN) * GRAIN,
  };
}

interface Vertical {
  readonly y: number;
  readonly height: number;
}

/** The parts of a drawing that touch a stretch, and the card with the focus. Sizes are those of the whole. */
export function layoutWithin(layout: Layout, { from, to }: Stretch, active: string | undefined): Layout {
  const touches = ({ y, height }: Vertical): boolean => y < to && y + height > from;
  return {
    ...layout,
    steps: layout.steps.filter((step) => touches(step) || step.key === active),
    frames: layout.frames.filter(touches),
    lists: layout.lists.filter(
      (list) => touches(list) || (list.empty !== null && touches(list.empty)) || list.key === active,
    ),
    edges: layout.edges.filter((edge) => edge.from[1] < to && edge.to[1] > from),
    slots: layout.slots.filter(({ y }) => y < to && y > from),
  };
}
