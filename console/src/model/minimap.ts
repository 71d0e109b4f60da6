interface Size {
  readonly width: number;
  readonly height: number;
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

const MAX_WIDTH = 140;
const MAX_HEIGHT = 220;
/** Of a drawing that would fit with room to spare. */
const MAX_SCALE = 0.15;

/** A small drawing of a large one. Long and narrow drawings are shortened more than they are narrowed. */
interface Minimap extends Size {
  readonly scaleX: number;
  readonly scaleY: number;
  /** All steps as one path. */
  readonly path: string;
}

export function minimapOf(drawing: Size & { readonly steps: readonly Box[] }): Minimap {
  const scaleX = Math.min(MAX_SCALE, MAX_WIDTH / drawing.width);
  const scaleY = Math.min(MAX_SCALE, MAX_HEIGHT / drawing.height);
  const path = drawing.steps
    .map(({ x, y, width, height }) => {
      const [w, h] = [Math.max(1, width * scaleX), Math.max(1, height * scaleY)].map(rounded);
      return `M${rounded(x * scaleX)} ${rounded(y * scaleY)}h${w}v${h}h-${w}z`;
    })
    .join('');
  return {
    width: Math.round(drawing.width * scaleX),
    height: Math.round(drawing.height * scaleY),
    scaleX,
    scaleY,
    path,
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Whether a drawing is so much larger than what is in sight that a minimap helps. */
export const isLarger = (drawing: Size, sight: Size): boolean =>
  drawing.height > sight.height * 1.2 || drawing.width > sight.width * 1.2;

/** What is in sight, within the minimap. */
export function sightIn({ scaleX, scaleY, width, height }: Minimap, sight: Box): Box {
  const x = Math.max(0, sight.x * scaleX);
  const y = Math.max(0, sight.y * scaleY);
  return {
    x,
    y,
    width: Math.min(width - x, sight.width * scaleX),
    height: Math.min(height - y, sight.height * scaleY),
  };
}
