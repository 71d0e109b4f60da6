import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type NatsConnection } from 'nats';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { until } from '../../support/until';
import { openHouse } from '../executor/house';

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'nats.md'), 'utf8');
const run = promisify(execFile);

/** The nth block of a language on the page. */
const block = (language: string, n = 0): string => {
  const found = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))][n]?.[1];
  if (found === undefined) throw new Error(`The page has too few blocks of ${language}`);
  return found;
};

describeWith('nats', { own: true })('the page for integrators', () => {
  let nats: Daemon;
  let house: Awaited<ReturnType<typeof openHouse>>;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'everstep-page-'));
    // The port is given on the command line, which wins.
    nats = (await startOwnNats({ config: block('conf') })) as Daemon;
    const bus = nats.url.replace('//', '//everstep:change-me-too@');
    house = await openHouse({ bus, namespace: 'everstep', nodeId: 'host.1' });
  });
  afterAll(async () => {
    await house.close();
    await nats.stop();
    await rm(dir, { recursive: true, force: true });
  });

  test.each([
    ['starts a run and waits for its end', 0],
    ['gets the events of its runs', 1],
  ])('has a program that %s, as the page says, with the rights that the page gives', async (_, n) => {
    const { key } = await house.t.call('auth.create_api_key', { name: 'acme' }, house.ann);
    await writeFile(join(dir, 'example.js'), block('js', n));
    const { stdout } = await run(process.execPath, ['example.js'], {
      cwd: dir,
      timeout: 20_000,
      env: {
        PATH: process.env.PATH,
        NODE_PATH: join(ROOT, 'node_modules'),
        NATS_HOST: `127.0.0.1:${nats.port}`,
        NATS_USER: 'acme',
        NATS_PASS: 'change-me',
        EVERSTEP_KEY: key,
      },
    });
    expect(stdout).toBe(block('text', n));
  });

  describe('gives rights with which an integrator', () => {
    let acme: NatsConnection;
    const refused: string[] = [];

    beforeAll(async () => {
      acme = await connect({ servers: nats.url, user: 'acme', pass: 'change-me' });
      void (async () => {
        for await (const status of acme.status())
          if (status.type === 'error') refused.push(String(status.permissionContext?.subject));
      })();
    });
    afterAll(() => acme.close());

    test.each(['MOL-everstep.DISCONNECT', 'MOL-everstep.INFO', 'MOL-everstep.RES.host.1', 'MOL-everstep.EVENT.host.1'])(
      'sends nothing to %s',
      async (subject) => {
        acme.publish(subject, '{}');
        await until('it is refused', () => refused.includes(subject));
      },
    );

    test.each(['MOL-everstep.RES.host.1', 'MOL-everstep.REQ.>', 'MOL-everstep.RES.other.1', '>'])(
      'reads nothing of %s',
      async (subject) => {
        acme.subscribe(subject, { callback: () => undefined });
        await until('it is refused', () => refused.includes(subject));
      },
    );
  });
});
