import { isLarger, minimapOf, sightIn } from '../../../console/src/model/minimap';

describe('the minimap', () => {
  it('shortens a long drawing more than it narrows it', () => {
    const map = minimapOf({ width: 400, height: 40_000, steps: [{ x: 100, y: 20_000, width: 240, height: 64 }] });
    expect(map).toMatchObject({ width: 60, height: 220, scaleX: 0.15, scaleY: 0.0055 });
    expect(map.path).toBe('M15 110h36v1h-36z');
  });

  it('says what is in sight, within its bounds', () => {
    const map = minimapOf({ width: 1_000, height: 2_000, steps: [] });
    expect(map).toMatchObject({ width: 140, height: 220 });
    const sight = sightIn(map, { x: 500, y: 1_900, width: 2_000, height: 900 });
    expect(sight.x).toBeCloseTo(70);
    expect(sight.width).toBeCloseTo(70);
    expect(sight.height).toBeCloseTo(11);
  });

  it('is there where the drawing is larger than what is in sight', () => {
    expect(isLarger({ width: 500, height: 900 }, { width: 1_000, height: 850 })).toBe(false);
    expect(isLarger({ width: 500, height: 1_900 }, { width: 1_000, height: 850 })).toBe(true);
    expect(isLarger({ width: 1_500, height: 100 }, { width: 1_000, height: 850 })).toBe(true);
  });
});
