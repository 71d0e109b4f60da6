import { ComputePool } from '../../../lib/compute';
import { draftIn } from '../../../services/skills/rules/draft';
import { STALL_MS, stallMs } from '../../support/stall';
import { zip } from '../../support/zip';

const DEFINITION = { name: 'SKILL.md', content: '---\nname: one\ndescription: Does one thing.\n---\nDo it.\n' };

let compute: ComputePool;
beforeAll(() => {
  compute = new ComputePool();
});
afterAll(() => compute.close());

describe('an uploaded bundle', () => {
  it('is read on a compute thread', async () => {
    const bundle = zip([
      DEFINITION,
      { name: 'a.txt', content: 'A' },
      { name: 'b.bin', content: Uint8Array.of(0, 255) },
    ]);
    expect(await draftIn(compute.lane('acme'), bundle)).toMatchObject({
      name: 'one',
      instructions: 'Do it.',
      files: [
        { path: 'a.txt', content: 'A' },
        { path: 'b.bin', base64: 'AP8=' },
      ],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('is refused with every fault', async () => {
    const bundle = zip([DEFINITION, { name: '../a', content: 'A' }, { name: 'CON', content: 'B' }]);
    await expect(draftIn(compute.lane('acme'), bundle)).rejects.toMatchObject({
      type: 'invalid_request',
      data: { details: [{ path: '../a' }, { path: 'CON' }] },
    });
  });

  it('does not hold the main thread with 2,000 entries of 4 KB', async () => {
    const files = Array.from({ length: 1_990 }, (_, n) => ({ name: `f${n}`, content: Buffer.alloc(4_000, 'abc') }));
    const bundle = zip([DEFINITION, ...files]);
    const refused = () =>
      expect(draftIn(compute.lane('acme'), bundle)).rejects.toMatchObject({ type: 'invalid_request' });
    expect(await stallMs(refused)).toBeLessThan(STALL_MS);
  });
});
