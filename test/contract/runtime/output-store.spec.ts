import type { KeptOutput } from '../../../runtime/ports/output-store';
import { STORES, type Subject } from '../../support/runtime/stores';

const far = Date.now() + 3_600_000;
const kept = (given: Partial<KeptOutput> = {}): KeptOutput => ({
  tenantId: 'tenant',
  workflowId: 'workflow',
  output: { v: 1, text: 'ä⟦"\\' },
  until: far,
  ...given,
});

describe.each(STORES)('outputs that count for other runs, in %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });
  afterEach(() => subject.empty());
  afterAll(() => subject?.close());

  it('are found under their key, as they were', async () => {
    await subject.outputs.keep('k', kept());
    expect(await subject.outputs.find('k', far - 1_000)).toEqual({ v: 1, text: 'ä⟦"\\' });
    expect(await subject.outputs.find('other', far - 1_000)).toBeNull();
  });

  it('are replaced by newer ones', async () => {
    await subject.outputs.keep('k', kept());
    await subject.outputs.keep('k', kept({ output: { v: 2 }, until: far + 10 }));
    expect(await subject.outputs.find('k', far)).toEqual({ v: 2 });
  });

  it('count no more from their instant on', async () => {
    await subject.outputs.keep('k', kept());
    expect(await subject.outputs.find('k', far)).toBeNull();
    expect(await subject.outputs.find('k', far - 1)).not.toBeNull();
  });

  it('may be kept by many at once', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((v) => subject.outputs.keep('k', kept({ output: { v } }))));
    expect(await subject.outputs.find('k', far - 1)).toHaveProperty('v');
  });
});
