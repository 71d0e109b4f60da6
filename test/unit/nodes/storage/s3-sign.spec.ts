import { Hash } from '@smithy/hash-node';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { encodePath, encodeQuery, signedHeaders, signedQuery, type Signer } from '../../../../nodes/storage/s3/sign';

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

test("Amazon's example: a part of an object", () => {
  const request = {
    method: 'GET',
    host: HOST,
    path: '/test.txt',
    query: {},
    headers: { range: 'bytes=0-9' },
    body: NOTHING,
  };
  expect(signatureOf(signedHeaders(request, EXAMPLE, DAY))).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test("Amazon's example: objects of a prefix", () => {
  const request = {
    method: 'GET',
    host: HOST,
    path: '/',
    query: { 'max-keys': '2', prefix: 'J' },
    headers: {},
    body: NOTHING,
  };
  expect(signatureOf(signedHeaders(request, EXAMPLE, DAY))).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test("Amazon's example: a link", () => {
  const request = { method: 'GET', host: HOST, path: '/test.txt', query: {} };
  expect(signedQuery(request, EXAMPLE, DAY, 86_400)['X-Amz-Signature']).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

/** A link says nothing of its content. */
const HASH = new Set(['x-amz-content-sha256']);

describe('as another signer signs it', () => {
  const other = ({ region, accessKeyId, secretAccessKey, sessionToken }: Signer): SignatureV4 =>
    new SignatureV4({
      service: 's3',
      region,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) },
      sha256: Hash.bind(null, 'sha256'),
      uriEscapePath: false,
    });
  const signers = fc.constantFrom(EXAMPLE, { ...EXAMPLE, region: 'eu-central-1', sessionToken: 'to/ken+=' });
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const paths = fc.array(texts, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  const queries = fc.dictionary(fc.stringMatching(/^[a-z-]{1,8}$/), texts, { maxKeys: 3 });
  const times = fc.integer({ min: 0, max: 4e12 });

  test('with headers', async () => {
    await fc.assert(
      fc.asyncProperty(signers, paths, queries, fc.uint8Array(), times, async (signer, path, query, body, now) => {
        const request = { method: 'PUT', host: HOST, path, query, headers: { 'content-type': 'text/plain' }, body };
        const ours = signedHeaders(request, signer, now);
        const theirs = await other(signer).sign(
          {
            method: 'PUT',
            protocol: 'https:',
            hostname: HOST,
            path: encodePath(path),
            query,
            headers: { host: HOST, 'content-type': 'text/plain' },
            body,
          },
          { signingDate: new Date(now) },
        );
        expect(signatureOf(ours)).toBe(signatureOf(theirs.headers));
      }),
      { numRuns: 60 },
    );
  });

  test('as a link', async () => {
    await fc.assert(
      fc.asyncProperty(signers, paths, times, async (signer, path, now) => {
        const ours = signedQuery({ method: 'GET', host: HOST, path, query: {} }, signer, now, 900);
        const theirs = await other(signer).presign(
          {
            method: 'GET',
            protocol: 'https:',
            hostname: HOST,
            path: encodePath(path),
            query: {},
            headers: { host: HOST, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
          },
          { signingDate: new Date(now), expiresIn: 900, unhoistableHeaders: HASH, unsignableHeaders: HASH },
        );
        expect(encodeQuery(ours)).toBe(encodeQuery(theirs.query as Record<string, string>));
      }),
      { numRuns: 60 },
    );
  });
});
