import { MessageReader } from '../../../runtime/execution/message-reader';
import { childMessageId } from '../../../runtime/core/decide/children';
import type { Message } from '../../../runtime/core/state/state';
import { settle } from '../../support/manual-clock';
import { execution, mail } from '../../support/runtime/records';

/** A reader over a store that answers when the test says so. */
function box(messages: Message[], options: { messageSeq?: number } = {}) {
  const asked: { verb: string; answer: () => void; fail: () => void }[] = [];
  const later = <T>(verb: string, value: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      asked.push({ verb, answer: () => resolve(value()), fail: () => reject(new Error('no connection')) });
    });
  const store = {
    messages: () => later('messages', () => ({ messages: [...messages], pause: null, messageSeq: messages.length })),
    markConsumed: async () => {},
    load: (id: string) => later(`load ${id}`, () => execution(id, { output: { big: true } })),
  };
  const delivered: Message[][] = [];
  const faults: unknown[] = [];
  const reader = new MessageReader(store, 'a', options.messageSeq ?? 0);
  const hint = (inbox = Number.POSITIVE_INFINITY, taken: string[] = []): void =>
    reader.catchUp(
      inbox,
      new Set(taken),
      (read) => void delivered.push(read.messages),
      (fault) => void faults.push(fault),
    );
  return { reader, asked, delivered, faults, hint };
}

const bigEnd = mail(childMessageId('c'), {
  name: childMessageId('c'),
  data: { status: 'completed', error: null, output_of: 'c' },
});

describe('a message reader', () => {
  it('reads at once at a hint, and not when nothing is new', () => {
    const { asked, hint } = box([], { messageSeq: 3 });
    hint(3);
    expect(asked).toEqual([]);
    hint(4);
    expect(asked.map(({ verb }) => verb)).toEqual(['messages']);
  });

  it('reads once more for all hints during a read', async () => {
    const messages = [mail('m1')];
    const { asked, delivered, hint } = box(messages);
    hint();
    asked[0]?.answer();
    for (let n = 0; n < 5; n++) hint();
    messages.push(mail('m2'));
    await settle();
    expect(asked).toHaveLength(2);
    asked[1]?.answer();
    await settle();
    expect(delivered.map((read) => read.map(({ id }) => id))).toEqual([['m1'], ['m1', 'm2']]);
    expect(asked).toHaveLength(2);
  });

  it('counts messages as seen only when it delivers them', async () => {
    const { reader, asked, delivered, hint } = box([bigEnd]);
    hint();
    asked[0]?.answer();
    await settle();
    expect([reader.messageSeq, delivered.length, asked[1]?.verb]).toEqual([0, 0, 'load c']);
    asked[1]?.answer();
    await settle();
    expect(reader.messageSeq).toBe(1);
    expect(delivered[0]?.[0]?.data).toEqual({ status: 'completed', error: null, output: { big: true } });
  });

  it('has seen nothing after a failed read, and reads at the next hint', async () => {
    const { reader, asked, faults, delivered, hint } = box([bigEnd]);
    hint();
    asked[0]?.answer();
    await settle();
    asked[1]?.fail();
    await settle();
    expect([reader.messageSeq, delivered.length, faults.length]).toEqual([0, 0, 1]);
    hint(1);
    expect(asked).toHaveLength(3);
  });

  it('fetches nothing for consumed messages', async () => {
    const { asked, delivered, hint } = box([bigEnd]);
    hint(1, [bigEnd.id]);
    asked[0]?.answer();
    await settle();
    expect([asked.length, delivered[0]]).toEqual([1, [bigEnd]]);
  });
});
