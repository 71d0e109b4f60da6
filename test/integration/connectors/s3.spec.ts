import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { type Actor, done, failed } from '../../support/connectors/act';
import { CREDENTIALS, REGION, type S3Store, startS3Store } from '../nodes/s3-store';

let store: S3Store;
let ada: Actor;
beforeAll(async () => {
  store = await startS3Store();
  const credentials = { ...CREDENTIALS, region: REGION, endpoint: store.url, bucket: 'box' };
  ada = { connector: connectorsByName.get('s3') as Connector, credentials };
});
afterAll(() => store.close());

test('an object is written, looked at, listed, linked, read and deleted, in the bucket of the connection', async () => {
  await done(ada, 'put', { key: 'a b.json', body: { total: 3 } });
  expect(await done(ada, 'head', { key: 'a b.json' })).toMatchObject({ exists: true, size: 11 });
  expect(await done(ada, 'list', {})).toMatchObject({ objects: [{ key: 'a b.json' }] });
  expect(await done(ada, 'get', { key: 'a b.json' })).toMatchObject({ body: { total: 3 } });
  const { url } = await done(ada, 'presign', { key: 'a b.json' });
  expect(await (await fetch(String(url))).json()).toEqual({ total: 3 });
  expect(await done(ada, 'delete', { key: 'a b.json' })).toEqual({ deleted: true });
});

test('wrong credentials are reported, and not shown', async () => {
  const wrong = { ...ada, credentials: { ...ada.credentials, secret_access_key: 'open-sesame' } };
  const failure = await failed(wrong, 'get', { key: 'a' });
  expect(failure).toMatchObject({ code: 's3_denied', retryable: false });
  expect(failure.message).not.toContain('open-sesame');
});
