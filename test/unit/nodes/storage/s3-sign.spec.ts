import { encodePath, signedHeaders, signedQuery, type Signer } from '../../../../nodes/storage/s3/sign';

/** The examples that Amazon gives for Signature Version 4 of S3. */
const EXAMPLE: Signer = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
};
const HOST = 'examplebucket.s3.amazonaws.com';
const DAY = Date.UTC(2013, 4, 24);
const NOTHING = new Uint8Array();

const signatureOf = (headers: Record<string, string>): string | undefined =>
  /Signature=(.*)$/.exec(headers.authorization ?? '')?.[1];

test("Amazon's example: a part of an object", async () => {
  const request = {
    method: 'GET',
    host: HOST,
    path: '/test.txt',
    query: {},
    headers: { range: 'bytes=0-9' },
    body: NOTHING,
  };
  expect(signatureOf(await signedHeaders(request, EXAMPLE, DAY))).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test("Amazon's example: objects of a prefix", async () => {
  const request = {
    method: 'GET',
    host: HOST,
    path: '/',
    query: { 'max-keys': '2', prefix: 'J' },
    headers: {},
    body: NOTHING,
  };
  expect(signatureOf(await signedHeaders(request, EXAMPLE, DAY))).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test("Amazon's example: a link", async () => {
  const request = { method: 'GET', host: HOST, path: '/test.txt', query: {} };
  expect((await signedQuery(request, EXAMPLE, DAY, 86_400))['X-Amz-Signature']).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('a lone surrogate in a path or a query is signed as the character that is sent for it', async () => {
  const request = { method: 'GET', host: HOST, path: '/\ud800', query: { q: '\ud800' }, headers: {}, body: NOTHING };
  const whole = { ...request, path: '/\ufffd', query: { q: '\ufffd' } };
  expect(await signedHeaders(request, EXAMPLE, DAY)).toEqual(await signedHeaders(whole, EXAMPLE, DAY));
  expect(encodePath('/\ud800')).toBe('/%EF%BF%BD');
});
