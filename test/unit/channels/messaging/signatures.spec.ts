import { parseQuery } from '../../../../lib/http-body/form';
import { isFormSignature, isHubSignature } from '../../../../services/channels/messaging/signatures';

describe('the signature of bytes', () => {
  const raw = Buffer.from('Hello, World!');
  const secret = "It's a Secret to Everybody";
  const right = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  test('is accepted as documented, in either case', () => {
    expect(isHubSignature(right, raw, secret)).toBe(true);
    expect(isHubSignature(right.toUpperCase().replace('SHA256', 'sha256'), raw, secret)).toBe(true);
  });

  test.each([
    undefined,
    '',
    'sha256=',
    right.slice(0, -1),
    `${right}0`,
    right.slice('sha256='.length),
    right.replace('sha256', 'sha1'),
    right.replace('7571', '7572'),
    ` ${right}`,
    `${right}, ${right}`,
  ])('%j is refused', (header) => expect(isHubSignature(header, raw, secret)).toBe(false));

  test('is refused for other bytes or another secret', () => {
    expect(isHubSignature(right, Buffer.from('Hello, World! '), secret)).toBe(false);
    expect(isHubSignature(right, raw, `${secret} `)).toBe(false);
    expect(isHubSignature(right, Buffer.alloc(0), secret)).toBe(false);
  });
});

describe('the signature of a form', () => {
  const caller = (number: string) =>
    parseQuery(
      new URLSearchParams({
        Digits: '1234',
        To: '+18005551212',
        From: number,
        Caller: number,
        CallSid: 'CA1234567890ABCDE',
      }).toString(),
    );

  test.each([
    ['https://example.com/myapp.php?foo=1&bar=2', '+14158675310', 'L/OH5YylLD5NRKLltdqwSvS0BnU='],
    ['https://mycompany.com/myapp.php?foo=1&bar=2', '+14158675309', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
  ])('over %s is accepted as the provider documents it', (url, number, signature) => {
    expect(isFormSignature(signature, url, caller(number), '12345')).toBe(true);
    expect(isFormSignature(signature, url, caller(number), '12346')).toBe(false);
    expect(isFormSignature(signature, `${url}&baz=3`, caller(number), '12345')).toBe(false);
    expect(isFormSignature(signature, url, caller('+14158675311'), '12345')).toBe(false);
  });

  test('of repeated fields is accepted as the provider computes it', () => {
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    const fields = parseQuery('Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234');
    expect(isFormSignature('IK+Dwps556ElfBT0I3Rgjkr1wJU=', url, fields, '12345')).toBe(true);
  });

  test('may cover the address with or without the default port, but with no other port', () => {
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';
    const fields = caller('+14158675309');
    expect(isFormSignature(signature, url.replace('.com', '.com:443'), fields, '12345')).toBe(true);
    expect(isFormSignature(signature, url.replace('.com', '.com:8443'), fields, '12345')).toBe(true);
    expect(isFormSignature(signature, url.replace('https', 'http'), fields, '12345')).toBe(false);
  });

  test.each([undefined, '', 'x', '='])('%j is refused', (header) =>
    expect(isFormSignature(header, 'https://a.test/', {}, '12345')).toBe(false),
  );
});
