import { Listeners, TOPICS } from '../../../services/executor/listeners';
import { execution } from '../../support/runtime/records';

type Context = Parameters<Listeners['heard']>[0];

/** Hosts' knowledge of listeners, with a workflows service that a test scripts. */
function listening() {
  let now = 0;
  const service = { topics: [] as string[], down: false, asked: 0 };
  const listeners = new Listeners({ clock: { now: () => now, after: () => () => {} } });
  const context = {
    call: async () => {
      service.asked += 1;
      if (service.down) throw new Error('nobody answers');
      return { topics: service.topics };
    },
    log: { warn: () => {} },
  } as unknown as Context;
  const heard = (status: 'completed' | 'failed', triggerType = 'http') =>
    listeners.heard(context)(execution('a', { triggerType }), status);
  return { service, listeners, heard, pass: (ms: number) => void (now += ms) };
}

describe('whether somebody listens to the end of a run', () => {
  it('is asked once for a while, whatever ends', async () => {
    const { service, heard, pass } = listening();
    service.topics = ['error'];
    expect(await Promise.all([heard('completed'), heard('failed'), heard('failed')])).toEqual([false, true, true]);
    expect(service.asked).toBe(1);
    service.topics = [];
    pass(4_999);
    expect(await heard('failed')).toBe(true);
    pass(1);
    expect(await heard('failed')).toBe(false);
  });

  it('is asked again when it is known to have changed, for that tenant alone', async () => {
    const { service, listeners, heard } = listening();
    expect(await heard('failed')).toBe(false);
    service.topics = ['error'];
    listeners.forget(`${TOPICS}another`);
    expect(await heard('failed')).toBe(false);
    listeners.forget(`${TOPICS}tenant`);
    expect(await heard('failed')).toBe(true);
  });

  it('is taken for certain where nobody says, and not asked again at once', async () => {
    const { service, heard, pass } = listening();
    service.down = true;
    expect(await heard('failed')).toBe(true);
    expect(await heard('completed')).toBe(true);
    expect(service.asked).toBe(1);
    service.down = false;
    pass(1_000);
    expect(await heard('failed')).toBe(false);
  });

  it('is no question where nobody may', async () => {
    const { service, heard } = listening();
    expect(await heard('failed', 'test')).toBe(false);
    expect(service.asked).toBe(0);
  });
});
