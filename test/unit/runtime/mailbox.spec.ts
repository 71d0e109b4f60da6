import { Mailbox } from '../../../runtime/actor/mailbox';
import { childMail } from '../../../runtime/rules/children';
import type { Mail } from '../../../runtime/record/state';
import { settle } from '../../support/manual-clock';
import { execution, mail } from '../../support/runtime/records';

/** A mailbox over a store whose answers come when they are told to. */
function box(messages: Mail[], options: { inbox?: number } = {}) {
  const asked: { verb: string; answer: () => void; fail: () => void }[] = [];
  const later = <T>(verb: string, value: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      asked.push({ verb, answer: () => resolve(value()), fail: () => reject(new Error('no connection')) });
    });
  const store = {
    mail: () => later('mail', () => ({ mail: [...messages], inbox: messages.length })),
    load: (id: string) => later(`load ${id}`, () => execution(id, { output: { big: true } })),
  };
  const told: Mail[][] = [];
  const faults: unknown[] = [];
  const mailbox = new Mailbox(store, 'a', options.inbox ?? 0);
  const hint = (inbox = Number.POSITIVE_INFINITY, taken: string[] = []): void =>
    mailbox.catchUp(
      inbox,
      new Set(taken),
      (read) => void told.push(read),
      (fault) => void faults.push(fault),
    );
  return { mailbox, asked, told, faults, hint };
}

const bigEnd = mail(childMail('c'), {
  name: childMail('c'),
  data: { status: 'completed', error: null, output_of: 'c' },
});

describe('a mailbox', () => {
  it('reads at once at a hint, and not at all when nothing is new', () => {
    const { asked, hint } = box([], { inbox: 3 });
    hint(3);
    expect(asked).toEqual([]);
    hint(4);
    expect(asked.map(({ verb }) => verb)).toEqual(['mail']);
  });

  it('reads once more for all hints that come while it reads', async () => {
    const messages = [mail('m1')];
    const { asked, told, hint } = box(messages);
    hint();
    asked[0]?.answer();
    for (let n = 0; n < 5; n++) hint();
    messages.push(mail('m2'));
    await settle();
    expect(asked).toHaveLength(2);
    asked[1]?.answer();
    await settle();
    expect(told.map((read) => read.map(({ id }) => id))).toEqual([['m1'], ['m1', 'm2']]);
    expect(asked).toHaveLength(2);
  });

  it('counts messages as seen only when it hands them over', async () => {
    const { mailbox, asked, told, hint } = box([bigEnd]);
    hint();
    asked[0]?.answer();
    await settle();
    expect([mailbox.inbox, told.length, asked[1]?.verb]).toEqual([0, 0, 'load c']);
    asked[1]?.answer();
    await settle();
    expect(mailbox.inbox).toBe(1);
    expect(told[0]?.[0]?.data).toEqual({ status: 'completed', error: null, output: { big: true } });
  });

  it('has seen nothing when it could not read, and reads at the next hint', async () => {
    const { mailbox, asked, faults, told, hint } = box([bigEnd]);
    hint();
    asked[0]?.answer();
    await settle();
    asked[1]?.fail();
    await settle();
    expect([mailbox.inbox, told.length, faults.length]).toEqual([0, 0, 1]);
    hint(1);
    expect(asked).toHaveLength(3);
  });

  it('fetches nothing for messages that were taken', async () => {
    const { asked, told, hint } = box([bigEnd]);
    hint(1, [bigEnd.id]);
    asked[0]?.answer();
    await settle();
    expect([asked.length, told[0]]).toEqual([1, [bigEnd]]);
  });
});
