import fc from 'fast-check';
import { brandPalette, contrast, MIN_TEXT_CONTRAST } from '../../../lib/brand-colors';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

/** Backgrounds of public pages, by theme. */
const SURFACES = { light: ['#ffffff', '#f7f7f9', '#f1f1f5'], dark: ['#131418', '#0c0d10', '#1a1b20'] } as const;

describe('brandPalette', () => {
  it('has the contrast of texts for any colour, in both themes', () => {
    fc.assert(
      fc.property(color, (brand) => {
        const { fill, onFill, light, dark } = brandPalette(brand);
        const pairs = [
          [fill, onFill],
          ...SURFACES.light.map((surface) => [light, surface]),
          ...SURFACES.dark.map((surface) => [dark, surface]),
        ] as [string, string][];
        return fill === brand && pairs.every(([one, other]) => contrast(one, other) >= MIN_TEXT_CONTRAST);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves a colour as it is where it can be read', () => {
    expect(brandPalette('#4458d8')).toMatchObject({ fill: '#4458d8', onFill: '#ffffff', light: '#4458d8' });
    expect(brandPalette('#ffcc00')).toMatchObject({ onFill: '#000000', dark: '#ffcc00' });
  });

  it('knows the contrasts of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('refuses what is no colour', () => {
    expect(() => brandPalette('red')).toThrow(TypeError);
  });
});
