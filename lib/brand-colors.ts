/** Colours of a workspace for pages in both themes. The console shows the same in its preview, so this file imports nothing. */

/** What a colour is used as. Each pair that is shown together has the contrast that WCAG 2.2 AA demands. */
interface BrandPalette {
  /** Background of the main button: the colour itself. */
  readonly fill: string;
  /** Text on it. */
  readonly onFill: string;
  /** Text, borders and focus rings on the surfaces of the light theme. */
  readonly light: string;
  /** The same on those of the dark theme. */
  readonly dark: string;
}

type Rgb = readonly [number, number, number];

/** `#` and six hexadecimal digits. */
const BRAND_COLOR = /^#[0-9a-f]{6}$/;

/** Of text (WCAG 2.2, 1.4.3). */
export const MIN_TEXT_CONTRAST = 4.5;
const WHITE = '#ffffff';
const BLACK = '#000000';
/** The surfaces of public pages with the least contrast: the darker one of the light theme, the lighter one of the dark theme. */
const LIGHT_SURFACE = '#f1f1f5';
const DARK_SURFACE = '#1a1b20';
/** Steps from the colour to black or white. */
const STEPS = 64;

/** @throws TypeError for a text that is no colour */
export function brandPalette(color: string): BrandPalette {
  // One of the two has at least 4.58: the square root of 21, the contrast of black and white.
  const onFill = contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
  return {
    fill: color,
    onFill,
    light: readableOn(color, LIGHT_SURFACE, BLACK),
    dark: readableOn(color, DARK_SURFACE, WHITE),
  };
}

/** Contrast of two colours, from 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(rgbOf(one)), luminance(rgbOf(other))];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** The colour itself, or the nearest mixture of it with `end` that can be read on the surface. */
function readableOn(color: string, surface: string, end: string): string {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(rgbOf(color), rgbOf(end), step / STEPS);
    if (contrast(mixed, surface) >= MIN_TEXT_CONTRAST) return mixed;
  }
  return end;
}

const mix = (from: Rgb, to: Rgb, share: number): string =>
  `#${from
    .map((value, at) =>
      Math.round(value + ((to[at] ?? 0) - value) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

function rgbOf(color: string): Rgb {
  if (!BRAND_COLOR.test(color)) throw new TypeError(`${color} is no colour such as #4458d8`);
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
