import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../lib/json';
import { filesService } from '../../../services/files/files.service';
import { until } from '../../support/until';
import { type House, openHouse } from '../executor/house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const write = (id: string, config: object): Json => ({ id, type: 'file_write', config }) as never;
const read = (id: string, config: object): Json => ({ id, type: 'file_read', config }) as never;
const run = async (steps: Json[], who = house) => who.ended(await who.start(await who.workflow(steps)));
const files = (execution_id: string) => house.t.app.db.collection('workspace_files').find({ execution_id }).toArray();
const content = async (execution_id: string, path: string): Promise<string> => {
  const who = { tenant_id: house.ann.tenant_id, role: 'service' as const };
  const { blob_id } = await house.t.call('files.find', { execution_id, path }, who);
  return Buffer.from((await house.t.call('files.read_part', { blob_id, n: 0 }, who)).data, 'base64').toString();
};

describe('a step that writes a file', () => {
  test('keeps the real values of secrets in it, and shows them nowhere', async () => {
    const secret = 'finch-in-the-vault';
    await house.t.call('secrets.put', { name: 'TOKEN', value: secret }, house.ann);
    const ended = await run([
      write('w', { path: 'login', content: 'password {{ secret.TOKEN }}' }),
      read('r', { path: 'login' }),
      { id: 'same', type: 'set', config: { fits: '{{ steps.r.content == "password " + secret.TOKEN }}' } },
    ]);
    expect(ended).toMatchObject({ status: 'completed', output: { fits: true } });
    expect(await content(ended.id, 'login')).toBe(`password ${secret}`);
    const detail = JSON.stringify(await house.t.call('executions.detail', { id: ended.id }, house.ann));
    expect(detail).not.toContain(secret);
    expect(detail).toContain('password ***');
    const refused = await run([write('w', { path: 'of/{{ secret.TOKEN }}', content: '' })]);
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'invalid_config' } });
  });

  test('fails for good where the plan has no room', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'storage-'));
    await writeFile(join(dir, 'plans.json'), JSON.stringify({ free: { storage_mb: 0 } }));
    const poor = await openHouse({ env: { PLANS_FILE: join(dir, 'plans.json') } });
    try {
      const steps = [{ ...(write('w', { path: 'a', content: 'x' }) as object), retry: { max_attempts: 3 } } as never];
      const ended = await run(steps, poor);
      expect(ended).toMatchObject({ status: 'failed', error: { code: 'quota_exceeded' } });
      const { steps: rows } = await poor.t.call('executions.detail', { id: ended.id }, poor.ann);
      expect(rows[0]?.attempt).toBe(1);
    } finally {
      await poor.close();
      await rm(dir, { recursive: true });
    }
  });
});

describe('a step that reads a file', () => {
  test('reads that of another run of its tenant, and of no other tenant', async () => {
    const { id: execution_id } = await run([write('w', { path: 'a', content: 'mine' })]);
    expect(await run([read('r', { path: 'a', execution_id })])).toMatchObject({ output: { content: 'mine' } });
    const dsl = { id: 'flow', trigger: { type: 'http' }, steps: [read('r', { path: 'a', execution_id })] };
    const { id } = await house.t.call('workflows.create', { name: 'Flow', dsl } as never, house.bob);
    const theirs = await house.t.call('workflows.trigger', { id, trigger: {} }, house.bob);
    const ended = await until('it has ended', async () => {
      const view = await house.t.call('executions.get', { id: theirs.id }, house.bob);
      return view.status === 'running' ? null : view;
    });
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'file_not_found' } });
  });
});

test('files go with their workflow', async () => {
  const workflow = await house.workflow([write('w', { path: 'a', content: 'x' })]);
  const { id } = await house.ended(await house.start(workflow));
  expect(await files(id)).toHaveLength(1);
  await house.t.call('workflows.remove', { id: workflow }, house.ann);
  await until('they are gone', async () => (await files(id)).length === 0);
});

describe('while the service of files is away', () => {
  const away = async (): Promise<() => Promise<void>> => {
    const service = house.t.broker.getLocalService('files');
    await house.t.broker.destroyService(service as never);
    return async () => {
      const made = house.t.broker.createService(filesService(house.t.app));
      await house.t.broker.waitForServices(made.name);
    };
  };

  test('a run waits for it, and goes on where it was', async () => {
    const back = await away();
    const id = await house.start(await house.workflow([write('w', { path: 'a', content: 'x' })]));
    await until('the step has begun', async () => {
      const { steps } = await house.t.call('executions.detail', { id }, house.ann);
      return steps[0]?.status === 'running';
    });
    await back();
    expect((await house.ended(id)).status).toBe('completed');
    expect(await content(id, 'a')).toBe('x');
  });

  test('a run that is cancelled writes nothing when it is back', async () => {
    const back = await away();
    const id = await house.start(await house.workflow([write('w', { path: 'a', content: 'x' })]));
    await until('the step has begun', async () => {
      const { steps } = await house.t.call('executions.detail', { id }, house.ann);
      return steps[0]?.status === 'running';
    });
    await house.t.call('executions.cancel', { id }, house.ann);
    expect((await house.ended(id)).status).toBe('cancelled');
    await back();
    const other = await run([write('w', { path: 'a', content: 'x' })]);
    expect(other.status).toBe('completed');
    expect(await files(id)).toEqual([]);
  });
});
