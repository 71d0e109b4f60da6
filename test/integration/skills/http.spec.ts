import { connect } from 'node:net';
import { randomId } from '../../../lib/ids';
import { ContentStore, RETENTION_MS } from '../../../services/skills/content-store';
import { versionIn } from '../../../services/skills/installing';
import { skillModels } from '../../../services/skills/models';
import { Registry } from '../../../services/skills/registry';
import { Sweep } from '../../../services/skills/sweep';
import { until } from '../../support/until';
import { zip } from '../../support/zip';
import { openSkillSite, parse, type Skill, type SkillSite } from './site';

const DEFINITION = [
  '---',
  'name: fill-forms',
  'description: Fills forms in PDF documents.',
  'license: MIT',
  'metadata:',
  '  keywords: pdf, paperwork',
  '---',
  'Ask for the form first.',
].join('\n');
const BUNDLE = zip([
  { name: 'fill-forms/SKILL.md', content: DEFINITION },
  { name: 'fill-forms/scripts/sum.js', content: 'return { sum: input.a + input.b }' },
  { name: 'fill-forms/assets/logo.bin', content: Uint8Array.from([0, 255]) },
]);

let site: SkillSite;
beforeAll(async () => {
  site = await openSkillSite();
}, 60_000);
afterAll(() => site?.close());

const SKILLS = '/api/v1/skills';
let named = 0;
/** A skill of a name that no other test has. */
const create = (fields: object = {}, by = site.ann): Promise<Skill> =>
  by.call<Skill>('POST', SKILLS, {
    name: `skill-${++named}`,
    description: 'Does things.',
    instructions: 'Do it.',
    ...fields,
  });
const publish = (id: string, body: object = {}, by = site.ann): Promise<Skill> =>
  by.call<Skill>('POST', `${SKILLS}/${id}/publish`, body);
const install = (body: object, by = site.bob) => by.ask<Skill>('POST', `${SKILLS}/registry/install`, body);
const search = async (q: string): Promise<string[]> => {
  const path = `${SKILLS}/registry/search?q=${encodeURIComponent(q)}`;
  return (await site.bob.call<{ data: Skill[] }>('GET', path)).data.map(({ name }) => String(name));
};

describe('a bundle', () => {
  test('is parsed without being stored, and what comes of it can be created as it is', async () => {
    const { status, body } = await parse(site.member, BUNDLE);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'fill-forms',
      version: null,
      license: 'MIT',
      instructions: 'Ask for the form first.',
      files: [
        { path: 'assets/logo.bin', base64: 'AP8=' },
        { path: 'scripts/sum.js', content: 'return { sum: input.a + input.b }' },
      ],
      warnings: [],
    });
    expect((await site.ann.call<{ data: Skill[] }>('GET', SKILLS)).data).toEqual([]);
    const made = await site.member.ask<Skill>('POST', SKILLS, body);
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'fill-forms', hash: body.hash, file_count: 2, source: null },
    });
    expect(await site.ann.call('GET', `${SKILLS}/${made.body.id}`)).toMatchObject({
      files: body.files,
      publication: null,
    });
    expect(await skillModels(site.app.app.db).uploads.countDocuments()).toBe(0);
  });

  test('that is hostile or broken is refused with the names of its entries', async () => {
    const evil = zip([
      { name: 'SKILL.md', content: DEFINITION },
      { name: '../evil.js', content: 'x' },
    ]);
    expect(await parse(site.ann, evil)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: '../evil.js', message: expect.stringContaining('..') }] },
    });
    expect(await parse(site.ann, zip([{ name: 'a', content: 'x' }]))).toMatchObject({ status: 400 });
    expect(await parse(site.ann, Buffer.from('nothing'))).toMatchObject({
      status: 400,
      body: { details: [{ path: 'file' }] },
    });
  });

  test('that is too large is refused, with a declared size or without', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024 + 1);
    expect(await parse(site.ann, large)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const upload_id = randomId();
    const actor = { tenant_id: site.tenants.ann, role: 'owner' } as const;
    const put = site.app.call('skills.put_upload', { upload_id, n: 10, data: 'AAAA' }, actor);
    await expect(put).rejects.toMatchObject({ type: 'payload_too_large' });
  });

  test('comes in although another tenant has begun more of them than are let in', async () => {
    const { hostname, port } = new URL(site.app.url);
    const head = [
      `POST ${SKILLS}/parse HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${site.bob.token}`,
      'Content-Type: multipart/form-data; boundary=B',
      'Transfer-Encoding: chunked',
    ];
    const begun = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nabc';
    let refused = 0;
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.on('data', (data) => (refused += data.toString().startsWith('HTTP/1.1 503') ? 1 : 0));
      socket.write(`${head.join('\r\n')}\r\n\r\n${begun.length.toString(16)}\r\n${begun}\r\n`);
      return socket;
    });
    await until('no more are let in', async () => refused > 5);
    expect((await parse(site.ann, BUNDLE)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('is of the tenant that has sent it: no other tenant commits its parts', async () => {
    const upload_id = randomId();
    const as = (tenant_id: string) => ({ tenant_id, role: 'owner' }) as const;
    const put = { upload_id, n: 0, data: BUNDLE.toString('base64') };
    await site.app.call('skills.put_upload', put, as(site.tenants.ann));
    const theirs = { upload_id, size: BUNDLE.length };
    const commit = site.app.call('skills.commit_upload', theirs, as(site.tenants.bob));
    await expect(commit).rejects.toMatchObject({ type: 'conflict' });
    expect(await site.app.call('skills.commit_upload', theirs, as(site.tenants.ann))).toMatchObject({
      name: 'fill-forms',
    });
  });
});

test('what a tenant may keep, and send, has an end', async () => {
  const { contents, uploads } = skillModels(site.app.app.db);
  const tenant_id = 'a tenant';
  const as = { tenant_id, role: 'owner' } as const;
  const [now, MIB] = [new Date(), 1024 * 1024];
  await contents.create({
    _id: 'x',
    tenant_id,
    hash: 'x',
    text: '{}',
    files: [],
    bytes: 512 * MIB - 1200,
    needed_at: now,
  });
  const skill = (instructions: string) =>
    site.app.call('skills.create', { name: `a-${instructions.length}`, description: 'x', instructions }, as);
  await expect(skill('more than fits '.repeat(20))).rejects.toMatchObject({
    type: 'conflict',
    message: expect.stringContaining('512 MiB'),
  });
  expect(await skill('ok')).toMatchObject({ bytes: 2 });
  const parts = Array.from({ length: 200 }, (_, n) => ({
    _id: `u:${n}`,
    tenant_id,
    upload_id: 'u',
    n,
    created_at: now,
  }));
  await uploads.insertMany(parts.map((part) => ({ ...part, data: Buffer.from('x') })));
  const put = site.app.call('skills.put_upload', { upload_id: randomId(), n: 0, data: 'AAAA' }, as);
  await expect(put).rejects.toMatchObject({ type: 'rate_limited' });
  await uploads.deleteMany({ tenant_id });
});

test('what a tenant keeps counts with what it says of itself, however little else there is', async () => {
  const { contents } = skillModels(site.app.app.db);
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, '€'.repeat(1_000)]));
  const { hash } = await create({ instructions: '', metadata });
  const kept = await contents.findOne({ tenant_id: site.tenants.ann, hash }).lean();
  expect(kept?.bytes).toBeGreaterThan(150_000);
});

test('the largest content is kept without a stop of seconds', async () => {
  const { db, clock } = site.app.app;
  const files = [1, 2, 3, 4].map((n) => ({ path: `assets/${n}`, bytes: Buffer.alloc(1024 * 1024, n) }));
  const head = { name: 'large', description: 'x', license: null, metadata: {}, allowed_tools: [] };
  const before = process.cpuUsage();
  const hash = await new ContentStore(skillModels(db), clock).save('large', { head, instructions: '', files });
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(1.5);
  const found = await new ContentStore(skillModels(db), clock).get('large', hash);
  expect(found.files.map(({ path, bytes }) => [path, bytes.length, bytes[0]])).toEqual(
    [1, 2, 3, 4].map((n) => [`assets/${n}`, 1024 * 1024, n]),
  );
});

describe('a skill', () => {
  test('is changed by the fields that are given, and its files as a whole', async () => {
    const files = [{ path: 'references/a.md', content: 'A' }];
    const { id, hash, name } = await create({ files, license: 'MIT', metadata: { a: 'b' } });
    const changed = await site.member.call<Skill>('PUT', `${SKILLS}/${id}`, { description: 'Does more.' });
    expect(changed).toMatchObject({ name, description: 'Does more.', license: 'MIT', files, instructions: 'Do it.' });
    expect(changed.hash).not.toBe(hash);
    const emptied = await site.ann.call<Skill>('PUT', `${SKILLS}/${id}`, { files: [], description: 'Does things.' });
    expect(emptied).toMatchObject({ files: [], file_count: 0 });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { files });
    expect((await site.ann.call<Skill>('GET', `${SKILLS}/${id}`)).hash).toBe(hash);
  });

  test('has a name of its own in its tenant, which another tenant may use as well', async () => {
    const { name } = await create();
    expect(await site.ann.ask('POST', SKILLS, { name, description: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: [{ path: 'name' }] },
    });
    expect((await create({ name }, site.bob)).name).toBe(name);
    const other = await create();
    expect(await site.ann.ask('PUT', `${SKILLS}/${other.id}`, { name })).toMatchObject({ status: 409 });
  });

  test('with faults is refused with all of them', async () => {
    const answer = await site.ann.ask<{ details: { path: string }[] }>('POST', SKILLS, {
      name: 'Not A Name',
      version: 'x',
      files: [{ path: '/a', content: 'x' }],
    });
    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ path }) => path)).toEqual(['name', 'description', 'version', 'files[0].path']);
  });

  test('is deleted, and listed by name in pages until then', async () => {
    const { id } = await create({ name: 'zz-last' });
    const { data } = await site.ann.call<{ data: Skill[] }>('GET', `${SKILLS}?limit=200`);
    const names = data.map(({ name }) => String(name));
    expect(names).toEqual([...names].sort());
    const page = await site.ann.call('GET', `${SKILLS}?limit=1&offset=${names.length - 1}`);
    expect(page).toMatchObject({ data: [{ id }], limit: 1, offset: names.length - 1 });
    expect((await site.member.ask('DELETE', `${SKILLS}/${id}`)).status).toBe(204);
    expect((await site.ann.ask('GET', `${SKILLS}/${id}`)).status).toBe(404);
    expect((await site.ann.ask('DELETE', `${SKILLS}/${id}`)).status).toBe(404);
  });
});

describe('a published skill', () => {
  test('is a version that never changes, whatever becomes of the skill', async () => {
    const { id, hash } = await create({
      description: 'Translates contracts.',
      files: [{ path: 'a.md', content: 'A' }],
    });
    const published = await publish(id, { notes: 'First.' });
    expect(published).toMatchObject({
      version: '1.0.0',
      published_version: '1.0.0',
      publication: { version: '1.0.0', versions: [{ version: '1.0.0', hash, notes: 'First.', withdrawn_at: null }] },
    });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { instructions: 'A draft.' });
    expect(await site.bob.call('GET', `${SKILLS}/published/${id}`)).toMatchObject({
      version: '1.0.0',
      hash,
      publisher: { slug: 'acme', name: 'Acme' },
      instructions: 'Do it.',
      files: [{ path: 'a.md', size: 1, text: true }],
    });
    expect(await site.ann.ask('POST', `${SKILLS}/${id}/publish`, { version: '1.0.0' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('cannot change') },
    });
    expect(await publish(id, { bump: 'minor' })).toMatchObject({ version: '1.1.0' });
    expect(await publish(id)).toMatchObject({
      publication: { versions: [{ version: '1.1.0' }, { version: '1.0.0' }] },
    });
    const old = await site.bob.call('GET', `${SKILLS}/published/${id}?version=1.0.0`);
    expect(old).toMatchObject({ version: '1.0.0', instructions: 'Do it.' });
  });

  test('is found by its words, listed, and by neither once it is taken out', async () => {
    const { id, name } = await create({ description: 'Sorts stamps of philatelists.' });
    expect(await search('philatelist')).toEqual([]);
    await publish(id);
    expect(await search('stamp sorting')).toEqual([name]);
    const { data } = await site.bob.call<{ data: Skill[] }>('GET', `${SKILLS}/published?limit=1`);
    expect(data).toMatchObject([{ id, name, version: '1.0.0', installs: 0 }]);
    expect(await site.ann.call('POST', `${SKILLS}/${id}/unpublish`, {})).toMatchObject({ published_version: null });
    expect(await search('stamp sorting')).toEqual([]);
    expect((await site.bob.ask('GET', `${SKILLS}/published/${id}`)).status).toBe(404);
    expect((await install({ id })).status).toBe(404);
    expect(await publish(id)).toMatchObject({ publication: { versions: [{ version: '1.0.0', withdrawn_at: null }] } });
    expect(await search('stamp sorting')).toEqual([name]);
    expect((await site.ann.ask('POST', `${SKILLS}/${id}/unpublish`, { version: '7.0.0' })).status).toBe(404);
  });

  test('is published once by any number at the same time', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      ['1.0.0', '1.0.0', '1.0.1', '1.0.2'].map((version) =>
        site.ann.ask<Skill>('POST', `${SKILLS}/${id}/publish`, { version }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { publication } = await site.ann.call<Record<string, { versions: { version: string }[] }>>(
      'GET',
      `${SKILLS}/${id}`,
    );
    expect(publication?.versions.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1', '1.0.0']);
  });

  test('that is published while it is deleted is not left in the registry', async () => {
    const { id } = await create({ description: 'Feeds numbats.' });
    const { collection } = skillModels(site.app.app.db).skills;
    const remove = collection.deleteMany;
    collection.deleteMany = async (...args: Parameters<typeof remove>) => {
      collection.deleteMany = remove;
      await publish(id);
      return remove.apply(collection, args);
    };
    expect((await site.member.ask('DELETE', `${SKILLS}/${id}`)).status).toBe(204);
    expect((await site.bob.ask('GET', `${SKILLS}/published/${id}`)).status).toBe(404);
  });

  test('is deleted by an admin alone, and gone from the registry then', async () => {
    const { id } = await create({ description: 'Counts quokkas.' });
    await publish(id);
    expect(await site.member.ask('DELETE', `${SKILLS}/${id}`)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect((await site.ann.ask('DELETE', `${SKILLS}/${id}`)).status).toBe(204);
    expect(await search('quokka')).toEqual([]);
    expect(await skillModels(site.app.app.db).published.countDocuments({ _id: id })).toBe(0);
  });

  test('is on record with who has published it', async () => {
    const { id } = await create();
    await publish(id);
    await site.ann.call('POST', `${SKILLS}/${id}/unpublish`, {});
    await site.ann.ask('DELETE', `${SKILLS}/${id}`);
    const { data } = await site.ann.call<{ data: Record<string, unknown>[] }>('GET', `/api/v1/audit?target=${id}`);
    expect(data.map(({ action }) => action)).toEqual([
      'skill.delete',
      'skill.unpublish',
      'skill.publish',
      'skill.create',
    ]);
    expect(data[2]).toMatchObject({ after: { version: '1.0.0' }, actor: { email: 'ann@example.com' } });
  });
});

describe('an installed skill', () => {
  test('is a copy of one version with where it came from', async () => {
    const { id, name, hash } = await create({ files: [{ path: 'scripts/a.js', content: 'return 1' }] });
    await publish(id);
    const { status, body } = await install({ id });
    expect([status, body.id === id]).toEqual([201, false]);
    expect(body).toMatchObject({
      name,
      hash,
      version: '1.0.0',
      files: [{ path: 'scripts/a.js', content: 'return 1' }],
      source: {
        id,
        version: '1.0.0',
        hash,
        publisher: { slug: 'acme' },
        modified: false,
        update_available: null,
        withdrawn: false,
      },
    });
    expect((await install({ id })).status).toBe(200);
    expect(await site.ann.call('GET', `${SKILLS}/published/${id}`)).toMatchObject({ installs: 1 });
    await site.ann.call('POST', `${SKILLS}/${id}/unpublish`, {});
    await site.ann.ask('DELETE', `${SKILLS}/${id}`);
    expect(await site.bob.call('GET', `${SKILLS}/${body.id}`)).toMatchObject({
      instructions: 'Do it.',
      source: { withdrawn: true },
    });
  });

  test('tells of a newer version, and takes it when it is installed again', async () => {
    const { id } = await create();
    await publish(id);
    const { body } = await install({ id });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { instructions: 'Do it better.' });
    await publish(id, { version: '2.0.0-rc.1' });
    const look = async () => {
      const { data } = await site.bob.call<{ data: Skill[] }>('GET', `${SKILLS}?limit=200`);
      return data.find((skill) => skill.id === body.id);
    };
    expect(await look()).toMatchObject({ version: '1.0.0', source: { update_available: null } });
    await publish(id, { bump: 'major' });
    expect(await look()).toMatchObject({ version: '1.0.0', source: { update_available: '2.0.0' } });
    expect(await install({ id })).toMatchObject({
      status: 200,
      body: { id: body.id, version: '2.0.0', instructions: 'Do it better.', source: { update_available: null } },
    });
  });

  test('is kept over what was changed here, unless that is given up', async () => {
    const { id } = await create();
    await publish(id);
    const { body } = await install({ id, name: 'my-copy' });
    expect(body).toMatchObject({ name: 'my-copy', source: { modified: false } });
    expect(await site.bob.call('PUT', `${SKILLS}/${body.id}`, { instructions: 'Mine.' })).toMatchObject({
      name: 'my-copy',
      source: { modified: true, version: '1.0.0' },
    });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { instructions: 'Newer.' });
    await publish(id);
    expect(await install({ id })).toMatchObject({ status: 409, body: { details: [{ path: 'overwrite' }] } });
    expect(await install({ id, overwrite: true })).toMatchObject({
      status: 200,
      body: { id: body.id, name: 'my-copy', version: '1.0.1', instructions: 'Newer.', source: { modified: false } },
    });
    expect(await install({ id, version: '1.0.0' })).toMatchObject({ status: 200, body: { instructions: 'Do it.' } });
    expect((await install({ id, version: '9.0.0' })).status).toBe(404);
  });

  test('needs a name that is free, and a skill of the registry is not published again by others', async () => {
    const { id, name } = await create();
    await publish(id);
    await create({ name }, site.bob);
    expect(await install({ id })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('another "name"') },
    });
    expect(await install({ id, name: 'Under Another' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'name' }] },
    });
    const { status, body } = await install({ id, name: 'under-another-name' });
    expect(status).toBe(201);
    expect(await site.bob.ask('POST', `${SKILLS}/${body.id}/publish`, {})).toMatchObject({ status: 409 });
  });

  test('is one, however many install it at once', async () => {
    const { id } = await create();
    await publish(id);
    const answers = await Promise.all([1, 2, 3, 4].map(() => install({ id })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 201]);
  });

  test('is refused where its content is not what was published', async () => {
    const { id, hash } = await create({ instructions: 'Genuine.' });
    await publish(id);
    const { db, clock } = site.app.app;
    const { contents } = skillModels(db);
    const text = JSON.stringify({ head: { name: 'x' }, instructions: 'Forged.' });
    await contents.updateOne({ tenant_id: site.tenants.ann, hash }, { $set: { text } });
    const registry = new Registry(skillModels(db), new ContentStore(skillModels(db), clock));
    const record = await registry.get(id);
    await expect(registry.content(record, versionIn(record))).rejects.toMatchObject({ type: 'internal' });
    await skillModels(db).contents.deleteOne({ tenant_id: site.tenants.ann, hash });
    await expect(registry.content(record, versionIn(record))).rejects.toMatchObject({ type: 'internal' });
  });
});

describe('no tenant sees more of another than what is published', () => {
  test('drafts are not found, read or installed by other tenants', async () => {
    const { id, name } = await create({ description: 'Knows of platypus.', instructions: 'Draft of platypus.' });
    expect(await search('platypus')).toEqual([]);
    for (const path of [`${SKILLS}/${id}`, `${SKILLS}/published/${id}`, `${SKILLS}/published/${name}`])
      expect((await site.bob.ask('GET', path)).status).toBe(404);
    expect((await install({ id })).status).toBe(404);
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/publish'],
      ['POST', '/unpublish'],
    ] as const)
      expect((await site.bob.ask(method, `${SKILLS}/${id}${path}`, method === 'DELETE' ? undefined : {})).status).toBe(
        404,
      );
    await publish(id);
    await site.ann.call('PUT', `${SKILLS}/${id}`, {
      instructions: 'Secret draft of platypus.',
      files: [{ path: 'b', content: 'hidden' }],
    });
    const answers = await Promise.all([
      site.bob.ask('GET', `${SKILLS}/published/${id}`),
      site.bob.ask('GET', `${SKILLS}/registry/search?q=platypus`),
      site.bob.ask('GET', `${SKILLS}/published?limit=200`),
      install({ id }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300);
      expect(JSON.stringify(body)).not.toMatch(/Secret draft|hidden|ann@example/);
    }
  });

  test('a hash leads to the content of no other tenant', async () => {
    const { hash } = await create({ instructions: 'Only ours.' });
    const read = (tenant_id: string) => site.app.call('skills.read', { hash }, { tenant_id, role: 'service' });
    expect(await read(site.tenants.ann)).toMatchObject({ text: 'Only ours.' });
    await expect(read(site.tenants.bob)).rejects.toMatchObject({ type: 'not_found' });
  });
});

test('a text is read from any character on, and never from the middle of one', async () => {
  const { hash } = await create({ instructions: 'a😀b' });
  const read = (offset: number, limit: number) =>
    site.app.call('skills.read', { hash, offset, limit }, { tenant_id: site.tenants.ann, role: 'service' });
  expect([(await read(0, 2)).text, (await read(2, 2)).text, (await read(1, 2)).text]).toEqual(['a', 'b', '😀']);
});

describe('what was replaced', () => {
  test('can be read for a month by runs that began with it, and goes then; what is named stays', async () => {
    const { db, clock } = site.app.app;
    const models = skillModels(db);
    const { id, hash } = await create({ instructions: 'Before.' });
    const kept = await create({ instructions: 'Kept.' });
    await publish(kept.id);
    await site.ann.call('PUT', `${SKILLS}/${kept.id}`, { instructions: 'Next.' });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { instructions: 'After.' });
    const read = (wanted: string) =>
      new ContentStore(models, clock).find(site.tenants.ann, wanted).then((found) => found?.instructions ?? null);
    const later = (ms: number) => new Sweep(models, { ...clock, now: () => clock.now() + ms }, () => {}).run();
    await later(RETENTION_MS - 60_000);
    expect(await read(hash)).toBe('Before.');
    await later(RETENTION_MS + 60_000);
    expect(await read(hash)).toBeNull();
    expect([await read(kept.hash), (await site.ann.call<Skill>('GET', `${SKILLS}/${id}`)).instructions]).toEqual([
      'Kept.',
      'After.',
    ]);
  });

  test('so can what a copy was installed as, and what a skill was published as, however that ends', async () => {
    const { db, clock } = site.app.app;
    const models = skillModels(db);
    const longAgo = (hash: string) =>
      models.contents.updateMany({ hash }, { $set: { needed_at: new Date(clock.now() - 2 * RETENTION_MS) } });
    const sweep = (ms: number) => new Sweep(models, { ...clock, now: () => clock.now() + ms }, () => {}).run();
    const isKept = async (tenant_id: string, hash: string) =>
      (await models.contents.countDocuments({ tenant_id, hash })) === 1;

    const { id, hash } = await create({ instructions: 'As it was installed.' });
    await publish(id);
    const { body: copy } = await install({ id });
    await site.bob.call('PUT', `${SKILLS}/${copy.id}`, { instructions: 'Changed.' });
    await longAgo(hash);
    await site.bob.ask('DELETE', `${SKILLS}/${copy.id}`);
    await sweep(0);
    expect(await isKept(site.tenants.bob, hash)).toBe(true);

    const again = await install({ id, name: 'another-copy' });
    await site.bob.call('PUT', `${SKILLS}/${again.body.id}`, { instructions: 'Changed again.' });
    await site.ann.call('PUT', `${SKILLS}/${id}`, { instructions: 'As it will be.' });
    await publish(id);
    await longAgo(hash);
    expect((await install({ id, overwrite: true })).status).toBe(200);
    await sweep(0);
    expect(await isKept(site.tenants.bob, hash)).toBe(true);

    await longAgo(hash);
    await models.skills.deleteOne({ _id: id });
    await sweep(2 * 3_600_000);
    expect([await models.published.countDocuments({ _id: id }), await isKept(site.tenants.ann, hash)]).toEqual([
      0,
      true,
    ]);
  });

  test('a skill that is gone is not left in the registry by a crash in the middle of its end', async () => {
    const { db, clock } = site.app.app;
    const models = skillModels(db);
    const { id } = await create();
    await publish(id);
    await models.skills.deleteOne({ _id: id });
    await new Sweep(models, { ...clock, now: () => clock.now() + 2 * 3_600_000 }, () => {}).run();
    await until('it is gone', async () => (await site.bob.ask('GET', `${SKILLS}/published/${id}`)).status === 404);
  });
});
