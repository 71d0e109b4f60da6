import { DeferredInsert } from '../../../runtime/execution/deferred-insert';
import { ClaimLost, JournalWriter } from '../../../runtime/execution/journal';
import { NO_METERS } from '../../../runtime/execution/meters';
import type { Entry } from '../../../runtime/core/entries/entry';
import { ManualClock, settle } from '../../support/manual-clock';

const entry = (path: string): Entry => ({ kind: 'step.cancelled', path, at: 0 });

describe('a journal that is abandoned during a write', () => {
  it('rejects later barriers with a lost claim', async () => {
    let appended = (): void => undefined;
    const writer = new JournalWriter(
      {
        store: {
          append: () =>
            new Promise((resolve) => {
              appended = () => resolve({ kind: 'appended' });
            }),
          putPayload: async () => undefined,
        },
        clock: new ManualClock(),
        claim: { id: 'run', host: 'h', epoch: 1 },
        policy: { afterMs: 50, chars: 10 },
        meters: NO_METERS,
        insert: DeferredInsert.alreadyStored(),
        mayWrite: () => true,
        onDurable: () => undefined,
        onFault: () => undefined,
      },
      0,
      0,
    );
    writer.add([entry('a')]);
    writer.add([entry('b')]);
    const waits = expect(writer.barrier()).rejects.toThrow(ClaimLost);
    await settle();
    writer.abandon();
    appended();
    await waits;
  });
});
