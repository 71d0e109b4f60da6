import {
  attestationOf,
  bytesOf,
  creationOf,
  passkeyFault,
  requestOf,
  textOf,
} from '../../../console/src/model/passkeys';
import { methodsOf } from '../../../console/src/model/second-factor';

const buffer = (...bytes: number[]): ArrayBuffer => Uint8Array.from(bytes).buffer;

describe('bytes of passkeys', () => {
  test.each([[[]], [[0]], [[251, 255]], [[1, 2, 3]], [[255, 254, 253, 252]]])(
    '%j are the same after both ways',
    (bytes) => {
      const text = textOf(buffer(...bytes));
      expect(text).toBe(Buffer.from(bytes).toString('base64url'));
      expect([...bytesOf(text)]).toEqual(bytes);
    },
  );

  test('are in the options that a browser takes, and texts in what the API takes', () => {
    const creation = creationOf({
      challenge: '-_8',
      rp: { id: 'localhost', name: 'Everstep' },
      user: { id: 'AQ', name: 'a', displayName: 'a' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      timeout: 1,
      excludeCredentials: [{ id: 'Ag', type: 'public-key', transports: ['usb'] }],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    });
    expect(creation).toMatchObject({
      challenge: new Uint8Array([251, 255]),
      user: { id: new Uint8Array([1]) },
      excludeCredentials: [{ id: new Uint8Array([2]), transports: ['usb'] }],
    });
    const request = requestOf({
      challenge: 'AQ',
      rpId: 'localhost',
      timeout: 1,
      userVerification: 'required',
      allowCredentials: [{ id: 'Ag', type: 'public-key', transports: [] }],
    });
    expect(request).toMatchObject({ challenge: new Uint8Array([1]), allowCredentials: [{ id: new Uint8Array([2]) }] });
    const response = { clientDataJSON: buffer(1), attestationObject: buffer(2) };
    expect(attestationOf({ rawId: buffer(3), response } as unknown as PublicKeyCredential)).toEqual({
      id: 'Aw',
      rawId: 'Aw',
      type: 'public-key',
      response: { clientDataJSON: 'AQ', attestationObject: 'Ag', transports: [] },
    });
  });
});

test('a refusal of the browser becomes a sentence, and what ends a request keeps its name', () => {
  expect(passkeyFault(new DOMException('…', 'NotAllowedError')).message).toContain('Try again');
  expect(passkeyFault(new DOMException('…', 'AbortError')).name).toBe('AbortError');
  const fault = new Error('The server says so');
  expect(passkeyFault(fault)).toBe(fault);
});

test('a second factor is asked for by what the account and the browser have', () => {
  expect(methodsOf(['recovery_code', 'totp', 'passkey'], true)).toEqual(['passkey', 'totp', 'recovery_code']);
  expect(methodsOf(['passkey', 'recovery_code'], false)).toEqual(['recovery_code']);
  expect(methodsOf([], true)).toEqual(['totp']);
});
