import { readMongoUrl, type SrvLookup, InvalidUrlError } from '../../../../nodes/storage/database-query/mongodb-target';

const dns = (srv: [string, number][] | Error, txt: string[] = []): SrvLookup => ({
  srv: async () => {
    if (srv instanceof Error) throw srv;
    return srv.map(([name, port]) => ({ name, port }));
  },
  txt: async () => {
    if (txt.length === 0) throw new Error('ENODATA');
    return txt.map((text) => [text]);
  },
});

test.each([
  [
    'mongodb://db.example.com',
    { hosts: [{ host: 'db.example.com', port: 27_017 }], database: '', login: null, tls: 'off' },
  ],
  [
    'mongodb://ada:p%40ss@a.example:1,[::1]:2,10.0.0.1/shop?replicaSet=rs&tls=true&w=majority',
    {
      hosts: [
        { host: 'a.example', port: 1 },
        { host: '::1', port: 2 },
        { host: '10.0.0.1', port: 27_017 },
      ],
      database: 'shop',
      login: { user: 'ada', password: 'p@ss', source: 'shop', mechanism: undefined },
      tls: 'full',
    },
  ],
  [
    'mongodb://ada:x@a.example/?authSource=admin&authMechanism=SCRAM-SHA-256&ssl=true&tlsAllowInvalidHostnames=true',
    { database: '', login: { user: 'ada', password: 'x', source: 'admin', mechanism: 'SCRAM-SHA-256' }, tls: 'issuer' },
  ],
  ['mongodb://a.example/?tls=true&tlsInsecure=true', { tls: 'none' }],
])('%s', async (url, target) => {
  expect(await readMongoUrl(url, undefined)).toMatchObject(target);
});

test.each([
  'http://a.example',
  'mongodb://',
  'mongodb://ada:sesame@/x',
  'mongodb://ada:sesame@a b/x',
  'mongodb://ada:ses/ame@a.example/x',
  'mongodb://ada:sesame%@a.example/x',
  'mongodb://%2Ftmp%2Fmongo.sock/x',
  'mongodb://ada:sesame@a.example:99999999/x',
  'mongodb://ada:sesame@a.example/?authMechanism=MONGODB-AWS',
  'mongodb://ada:sesame@a.example/?authMechanism=MONGODB-OIDC',
  'mongodb://ada:sesame@a.example/?authMechanism=GSSAPI',
  'mongodb://ada:sesame@a.example/?proxyHost=10.0.0.1',
  'mongodb://ada:sesame@a.example/?tlsCAFile=/etc/passwd',
  'mongodb://ada:sesame@a.example/?tlsCertificateKeyFile=/etc/passwd',
  'mongodb://ada:sesame@a.example/?autoEncryption=true',
  'mongodb://ada:sesame@a.example/?loadBalanced=true',
  'mongodb://ada:sesame@a.example/?srvServiceName=x',
  'mongodb+srv://ada:sesame@a.example:27017/x',
  'mongodb+srv://ada:sesame@a.example,b.example/x',
  `mongodb://${Array.from({ length: 21 }, (_, n) => `h${n}.example`).join(',')}/x`,
])('%s is refused, and the error does not quote it', async (url) => {
  const refused = readMongoUrl(url, undefined, dns([['a.example', 1]]));
  await expect(refused).rejects.toThrow(/^(?!.*sesame)/);
  await expect(refused).rejects.toBeInstanceOf(InvalidUrlError);
});

describe('a seed list in DNS', () => {
  const url = 'mongodb+srv://ada:x@cluster.shop.example/data?retryWrites=true';

  test('has the hosts, which use TLS, and the database of the user', async () => {
    const lookup = dns(
      [
        ['one.shop.example.', 27_017],
        ['TWO.shop.example', 27_018],
      ],
      ['authSource=admin&replicaSet=rs'],
    );
    expect(await readMongoUrl(url, undefined, lookup)).toMatchObject({
      hosts: [
        { host: 'one.shop.example', port: 27_017 },
        { host: 'TWO.shop.example', port: 27_018 },
      ],
      tls: 'full',
      login: { source: 'admin' },
    });
  });

  test('needs no settings, and those of the URL override them', async () => {
    const lookup = dns([['one.shop.example', 1]], ['authSource=admin&tls=false&proxyHost=10.0.0.1']);
    const target = await readMongoUrl(`${url}&authSource=mine`, undefined, lookup);
    expect(target).toMatchObject({ tls: 'full', login: { source: 'mine' } });
    expect((await readMongoUrl(url, undefined, dns([['one.shop.example', 1]]))).login?.source).toBe('data');
  });

  test.each(['evil.example', 'shop.example.evil.example', 'evilshop.example', '169.254.169.254'])(
    'cannot send us to %s',
    async (host) => {
      await expect(readMongoUrl(url, undefined, dns([[host, 27_017]]))).rejects.toMatchObject({ kind: 'protocol' });
    },
  );

  test('that is empty or missing is a retryable fault', async () => {
    await expect(readMongoUrl(url, undefined, dns([]))).rejects.toMatchObject({ kind: 'dns', retryable: true });
    await expect(readMongoUrl(url, undefined, dns(new Error('ENOTFOUND')))).rejects.toMatchObject({ kind: 'dns' });
  });
});
