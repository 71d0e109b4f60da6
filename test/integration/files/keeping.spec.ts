import { randomBytes, randomUUID } from 'node:crypto';
import { GridFSBucket } from 'mongodb';
import { buffer } from 'node:stream/consumers';
import { sha256 } from '../../../lib/crypto';
import { PART_BYTES } from '../../../contracts/files';
import { codeOf } from '../executor/house';
import { type FilesHouse, openFiles, RUN, WORKFLOW } from './house';

let house: FilesHouse;
beforeAll(async () => {
  house = await openFiles({ env: { UPLOAD_LIMIT: '4mb' } });
});
afterAll(() => house.close());

describe('a file', () => {
  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 7])(
    'of %i bytes comes back as it was',
    async (size) => {
      const content = randomBytes(size);
      const path = `sizes/${size}.bin`;
      const file = await house.write(content, { path, content_type: 'application/x-thing' });
      expect(file).toEqual({
        path,
        name: `${size}.bin`,
        size,
        content_type: 'application/x-thing',
        sha256: sha256(content),
        created_at: expect.any(String),
      });
      expect((await house.read({ path })).equals(content)).toBe(true);
    },
  );

  test('is kept as any GridFS driver would keep it', async () => {
    const content = randomBytes(PART_BYTES + 100);
    await house.write(content, { path: 'grid.bin' });
    const { blob_id } = await house.t.call('files.find', { execution_id: RUN, path: 'grid.bin' }, house.ann);
    const bucket = new GridFSBucket(house.db, { bucketName: 'files' });
    const read = await buffer(bucket.openDownloadStream(blob_id as never));
    expect(read.equals(content)).toBe(true);
  });

  test('replaces the file at its path, and nothing of the old one is left', async () => {
    await house.write('first', { path: 'again' });
    const before = await house.counts();
    await house.write('second', { path: 'again' });
    expect((await house.read({ path: 'again' })).toString()).toBe('second');
    expect(await house.counts()).toEqual(before);
  });

  test('has one form of its path, whichever way its letters are composed', async () => {
    await house.write('x', { path: 'u\u0308.txt' });
    expect((await house.read({ path: '\u00fc.txt' })).toString()).toBe('x');
  });

  test('belongs to its run and tenant', async () => {
    await house.write('mine', { path: 'own' });
    expect(await codeOf(house.read({ path: 'own' }, house.bob))).toBe('not_found');
    expect(await codeOf(house.read({ path: 'own', execution_id: randomUUID() }))).toBe('not_found');
    await house.write('theirs', { path: 'own' }, house.bob);
    expect((await house.read({ path: 'own' })).toString()).toBe('mine');
  });

  test('is not read by another tenant that knows the id of its content', async () => {
    await house.write('mine', { path: 'parts' });
    const { blob_id } = await house.t.call('files.find', { execution_id: RUN, path: 'parts' }, house.ann);
    expect(await codeOf(house.t.call('files.read_part', { blob_id, n: 0 }, house.bob))).toBe('not_found');
    const member = { ...house.bob, role: 'member' as const };
    expect(await codeOf(house.t.call('files.part', { blob_id, n: 0 }, member))).toBe('not_found');
  });
});

describe('what is written', () => {
  test.each(['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', './a', 'a\u0000b', 'a\nb', '\u202ea', 'a\\b', '\ud800'])(
    'to the path %j is refused',
    async (path) => {
      expect(await codeOf(house.write('x', { path }))).toBe('invalid_request');
    },
  );

  test.each([
    ['too long', 'x'.repeat(256)],
    ['too long in bytes', '\u00fc'.repeat(128)],
    ['too long altogether', `${'x'.repeat(250)}/`.repeat(4) + 'x'.repeat(50)],
    ['too deep', 'a/'.repeat(16) + 'a'],
  ])('to a path that is %s is refused', async (_, path) => {
    expect(await codeOf(house.write('x', { path }))).toBe('invalid_request');
  });

  test('over the largest size is refused', async () => {
    const blob_id = randomUUID();
    const file = { blob_id, execution_id: RUN, workflow_id: WORKFLOW, path: 'large', content_type: 'a/b' };
    expect(await codeOf(house.t.call('files.begin', { ...file, size: 4 * 1_048_576 + 1 }, house.ann))).toBe(
      'payload_too_large',
    );
  });

  test('with a type that is none is refused', async () => {
    expect(await codeOf(house.write('x', { content_type: 'a/b\r\nx-evil: 1' }))).toBe('invalid_request');
  });

  test('counts only when all of it is there', async () => {
    const blob_id = randomUUID();
    const file = { blob_id, execution_id: RUN, workflow_id: WORKFLOW, path: 'half', content_type: 'a/b' };
    await house.t.call('files.begin', { ...file, size: PART_BYTES + 1 }, house.ann);
    const data = Buffer.alloc(PART_BYTES).toString('base64');
    await house.t.call('files.put_part', { blob_id, n: 0, data }, house.ann);
    expect(await codeOf(house.t.call('files.commit', { blob_id }, house.ann))).toBe('conflict');
    expect(await codeOf(house.read({ path: 'half' }))).toBe('not_found');
    // Neither a part of another length, nor one after the end.
    expect(await codeOf(house.t.call('files.put_part', { blob_id, n: 1, data }, house.ann))).toBe('invalid_request');
    expect(await codeOf(house.t.call('files.put_part', { blob_id, n: 2, data: 'AA==' }, house.ann))).toBe(
      'invalid_request',
    );
    await house.t.call('files.put_part', { blob_id, n: 1, data: 'AA==' }, house.ann);
    expect((await house.t.call('files.commit', { blob_id }, house.ann)).size).toBe(PART_BYTES + 1);
  });

  test('may be asked for twice at each step, and is written once', async () => {
    const before = await house.counts();
    const blob_id = randomUUID();
    const begin = { blob_id, execution_id: RUN, workflow_id: WORKFLOW, path: 'twice', content_type: 'a/b', size: 1 };
    const part = { blob_id, n: 0, data: 'eA==' };
    for (const _ of [1, 2]) await house.t.call('files.begin', begin, house.ann);
    for (const _ of [1, 2]) await house.t.call('files.put_part', part, house.ann);
    const first = await house.t.call('files.commit', { blob_id }, house.ann);
    expect(await house.t.call('files.commit', { blob_id }, house.ann)).toEqual(first);
    const after = await house.counts();
    expect(after).toEqual({ files: before.files + 1, blobs: before.blobs + 1, chunks: before.chunks + 1 });
    // What is whole takes no further parts.
    expect(await codeOf(house.t.call('files.put_part', part, house.ann))).toBe('conflict');
    expect(await codeOf(house.t.call('files.begin', begin, house.bob))).toBe('conflict');
  });

  test('by many at once to one path leaves one whole file, and nothing of the others', async () => {
    const before = await house.counts();
    const contents = Array.from({ length: 8 }, (_, n) => Buffer.alloc(1_000, n));
    await Promise.all(contents.map((content) => house.write(content, { path: 'race' })));
    const left = await house.read({ path: 'race' });
    expect(contents.some((content) => content.equals(left))).toBe(true);
    const after = await house.counts();
    expect(after).toEqual({ files: before.files + 1, blobs: before.blobs + 1, chunks: before.chunks + 1 });
  });
});

describe('a removal', () => {
  test('takes the files of runs or of a workflow with all that belongs to them, and nothing else', async () => {
    const [run, other, workflow_id] = [randomUUID(), randomUUID(), randomUUID()];
    const before = await house.counts();
    for (const execution_id of [run, other])
      for (const path of ['a', 'b']) await house.write('x', { execution_id, path, workflow_id });
    const remove = (p: { workflow_id?: string; execution_ids?: string[] }, who = house.ann) =>
      house.t.call('files.remove', p, who);
    expect(await remove({ execution_ids: [run] }, house.bob)).toEqual({ removed: 0 });
    expect(await remove({ execution_ids: [run] })).toEqual({ removed: 2 });
    expect((await house.read({ execution_id: other, path: 'a' })).toString()).toBe('x');
    expect(await remove({ workflow_id })).toEqual({ removed: 2 });
    expect(await remove({ workflow_id })).toEqual({ removed: 0 });
    expect(await house.counts()).toEqual(before);
  });
});
