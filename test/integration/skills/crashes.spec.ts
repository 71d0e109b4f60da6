import { errorCode } from '../../../lib/errors';
import { skillModels } from '../../../services/skills/models';
import { Sweep } from '../../../services/skills/sweep';
import { openSkillSite, type Skill, type SkillSite } from './site';

let site: SkillSite;
beforeAll(async () => {
  site = await openSkillSite();
}, 60_000);
afterAll(() => site?.close());

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne', 'deleteMany'];
type Act = (...args: unknown[]) => Promise<unknown>;

/** Does something of which the `k`th write (from 1) is the first that does not take place. True when it came to that write. */
async function cutOff(k: number, work: () => Promise<unknown>): Promise<boolean> {
  let writes = 0;
  const undo = Object.values(skillModels(site.app.app.db)).flatMap((model) => {
    const collection = model.collection as unknown as Record<string, Act>;
    return WRITES.map((name) => {
      const own = Object.hasOwn(collection, name);
      const act = (collection[name] as Act).bind(collection);
      collection[name] = async (...args) => {
        writes += 1;
        if (writes < k) return act(...args);
        throw new Error('the process is gone');
      };
      return () => (own ? void (collection[name] = act) : void delete collection[name]);
    });
  });
  try {
    await work();
    return false;
  } catch (fault) {
    if (writes < k) throw fault;
    return true;
  } finally {
    for (const each of undo) each();
  }
}

let named = 0;
const owner = { role: 'owner', email: 'x@example.com' } as const;
const ann = () => ({ ...owner, tenant_id: site.tenants.ann });
const bob = () => ({ ...owner, tenant_id: site.tenants.bob });
const create = async (): Promise<string> => {
  named += 1;
  const fields = { name: `skill-${named}`, description: `Of number ${named}.`, instructions: `Do ${named}.` };
  return (await site.app.call('skills.create', fields, ann())).id;
};
const publish = (id: string) => site.app.call('skills.publish', { id }, ann());
const sweep = () => {
  const { db, clock } = site.app.app;
  return new Sweep(skillModels(db), { ...clock, now: () => clock.now() + 2 * 3_600_000 }, () => {}).run();
};

/** What other tenants see: a skill that is whole, or none. */
async function seen(id: string): Promise<string | null> {
  try {
    const { version, instructions } = await site.app.call('skills.published_skill', { id }, bob());
    return `${version} ${instructions}`;
  } catch (fault) {
    if (errorCode(fault) !== 'not_found') throw fault;
    return null;
  }
}

/** The work, cut off before each of its writes and done again; answers how many it has. */
async function atEachWrite(
  begin: () => Promise<string>,
  work: (id: string) => Promise<unknown>,
  expectWhole: (id: string) => Promise<void>,
): Promise<number> {
  for (let k = 1; ; k++) {
    const id = await begin();
    const cut = await cutOff(k, () => work(id));
    // Whatever is half done is no one else's concern.
    await seen(id);
    if (cut) await work(id);
    await expectWhole(id);
    if (!cut) return k - 1;
  }
}

test('publishing goes on where it was cut off, and makes one version', async () => {
  const writes = await atEachWrite(create, publish, async (id) => {
    const { publication, version } = await site.app.call('skills.get', { id }, ann());
    expect([version, publication?.versions.map((each) => each.version)]).toEqual(['1.0.0', ['1.0.0']]);
    expect(await seen(id)).toMatch(/^1\.0\.0 Do \d+\.$/);
  });
  expect(writes).toBe(2);
});

test('a change takes place as a whole, and what was before stays to be read', async () => {
  const hashes = new Map<string, string>();
  const begin = async (): Promise<string> => {
    const id = await create();
    hashes.set(id, (await site.app.call('skills.get', { id }, ann())).hash);
    return id;
  };
  const change = (id: string) => site.app.call('skills.update', { id, instructions: 'Changed.' }, ann());
  const writes = await atEachWrite(begin, change, async (id) => {
    expect(await site.app.call('skills.get', { id }, ann())).toMatchObject({ instructions: 'Changed.' });
    const hash = hashes.get(id) as string;
    const service = { tenant_id: site.tenants.ann, role: 'service' } as const;
    expect(await site.app.call('skills.read', { hash }, service)).toMatchObject({ text: expect.stringMatching(/^Do/) });
  });
  expect(writes).toBe(4);
});

test('an installation makes one copy', async () => {
  const begin = async (): Promise<string> => {
    const id = await create();
    await publish(id);
    return id;
  };
  const install = (id: string) => site.app.call('skills.install', { id }, bob());
  const writes = await atEachWrite(begin, install, async (id) => {
    const { data } = await site.bob.call<{ data: (Skill & { source: { id: string } })[] }>(
      'GET',
      '/api/v1/skills?limit=200',
    );
    expect(data.filter(({ source }) => source.id === id)).toHaveLength(1);
  });
  expect(writes).toBe(3);
});

test('a deletion leaves nothing in the registry', async () => {
  const begin = async (): Promise<string> => {
    const id = await create();
    await publish(id);
    return id;
  };
  const remove = (id: string): Promise<unknown> =>
    site.app.call('skills.remove', { id }, ann()).catch((fault: unknown) => {
      // The first try has come so far.
      if (errorCode(fault) !== 'not_found') throw fault;
    });
  const writes = await atEachWrite(begin, remove, async (id) => {
    expect(await seen(id)).toBeNull();
    await sweep();
    const models = skillModels(site.app.app.db);
    expect([
      await models.published.countDocuments({ _id: id }),
      await models.skills.countDocuments({ _id: id }),
    ]).toEqual([0, 0]);
  });
  expect(writes).toBe(5);
});
