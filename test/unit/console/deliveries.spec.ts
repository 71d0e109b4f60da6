import { bodyPreview, verdictLook } from '../../../console/src/model/deliveries';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the preview of a body', () => {
  it('indents JSON, and shows other text as it is', () => {
    expect(bodyPreview(base64('{"a":"ä"}'), 'application/json')).toEqual({
      text: '{\n  "a": "ä"\n}',
      cut: false,
      binary: false,
    });
    expect(bodyPreview(base64('a=1'), 'application/x-www-form-urlencoded').text).toBe('a=1');
    expect(bodyPreview(base64('{'), 'application/json').text).toBe('{');
  });

  it('is bounded, and leaves out what is not text', () => {
    const long = bodyPreview(base64('x'.repeat(70_000)), null);
    expect([long.text.length, long.cut]).toEqual([65_536, true]);
    expect(bodyPreview(base64('\u0000\u0001'), null)).toEqual({ text: '', cut: false, binary: true });
  });
});

it('names outcomes', () => {
  expect(verdictLook('refused')).toEqual({ tone: 'danger', label: 'Refused' });
});
