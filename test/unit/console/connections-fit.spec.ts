import { fitsStep, isAccepted } from '../../../console/src/model/connections';

describe('a connection', () => {
  const sheets = ['google_sheets', 'suite'];
  it('fits a step by its connector, by the provider of its preset, or by having an app', () => {
    expect(fitsStep(sheets, { connector: 'suite', app_id: 'a' })).toBe(true);
    expect(fitsStep(sheets, { connector: 'google_sheets', app_id: null })).toBe(true);
    expect(fitsStep(sheets, { connector: 'github', app_id: 'a' })).toBe(false);
    expect(fitsStep(['oauth'], { connector: 'github', app_id: 'a' })).toBe(true);
    expect(fitsStep(['oauth'], { connector: 'github', app_id: null })).toBe(false);
    expect(fitsStep([], { connector: 'github', app_id: 'a' })).toBe(false);
  });

  it('can be made with the apps whose provider the step accepts', () => {
    expect(isAccepted(sheets, { connector: 'suite' })).toBe(true);
    expect(isAccepted(sheets, { connector: null })).toBe(false);
    expect(isAccepted(['oauth'], { connector: null })).toBe(true);
  });
});
