import type { OutputStore } from '../../runtime/store/output-store';
import type { JournalRecord } from '../../runtime/record/entry';
import { CANCEL, type Mail } from '../../runtime/record/state';
import type { GroupStore, OutboxStore } from '../../runtime/store/kin';
import type { Execution, HostStore, RunStore, SlotStore } from '../../runtime/store/port';
import { SimConnection, type SimDatabase } from '../support/runtime/sim-store';
import { historyOf } from './history';
import type { Link } from './link';

/** Told of what the database has done, at the very moment. */
export interface Witness {
  readonly recorded: (record: JournalRecord) => void;
  readonly claimed: (execution: Execution) => void;
  /** A message is in the database, and nobody has been told of it. */
  readonly kept: (executionId: string, mail: Mail) => void;
  readonly counted: (executionId: string, mail: Mail) => void;
}

/** All of the port, as a process sees it. */
export interface Stores {
  readonly runs: RunStore;
  readonly hosts: HostStore;
  readonly slots: SlotStore;
  readonly groups: GroupStore;
  readonly outboxes: OutboxStore;
  readonly outputs: OutputStore;
}

/** The part of an argument list that names what a verb is about. */
function keyOf([first]: readonly unknown[]): string {
  if (typeof first === 'string') return first;
  const { id, executionId } = (first ?? {}) as { id?: string; executionId?: string };
  return executionId ?? id ?? '';
}

/** Whether a run has ended with this message in its hands. Its history names all but a cancellation. */
function hadTaken(db: SimDatabase, id: string, mail: Mail): boolean {
  if (mail.name === CANCEL) return db.executions.get(id)?.status === 'cancelled';
  return historyOf(db, id).some(({ entry }) => 'mail' in entry && entry.mail === mail.id);
}

type Verbs = Record<string, (...args: never[]) => Promise<unknown>>;

/** Every verb over a link, one request each. */
function remote<T extends object>(verbs: T, link: Link): T {
  const entries = Object.entries(verbs as Verbs).map(([verb, act]) => [
    verb,
    (...args: never[]) => link.call(verb, keyOf(args), () => act(...args)),
  ]);
  return Object.fromEntries(entries) as T;
}

/**
 * A process's view of the simulated database. Verbs that are several writes, or reads, on a real one are several
 * requests here too, each with a fate of its own.
 */
export function remoteStores(db: SimDatabase, link: Link, witness: Witness, spoil: (stores: Stores) => Stores): Stores {
  const connection = new SimConnection(db);
  const { runs, hosts, slots, groups, outboxes, outputs } = connection;
  return distant(db, link, witness, spoil({ runs, hosts, slots, groups, outboxes, outputs }));
}

function distant(db: SimDatabase, link: Link, witness: Witness, stores: Stores): Stores {
  const { runs, hosts } = stores;
  const near = remote(runs, link);
  const box = (id: string): Mail[] => db.mail.get(id) ?? [];
  const holds = ({ executionId, n, host, epoch }: JournalRecord): boolean =>
    db.journals.get(executionId)?.some((other) => other.n === n && other.host === host && other.epoch === epoch) ===
    true;
  return {
    runs: {
      ...near,
      claim: (...args) =>
        link.call('claim', args[0], async () => {
          const claimed = await runs.claim(...args);
          claimed.forEach(witness.claimed);
          return claimed;
        }),
      append: (record) =>
        link.call('append', record.executionId, async () => {
          const appended = await runs.append(record);
          if (holds(record)) witness.recorded(record);
          return appended;
        }),
      end: (claim, ending, tail) =>
        link.call('end', claim.id, async () => {
          const written = await runs.end(claim, ending, tail);
          if (written && tail !== null && holds(tail)) witness.recorded(tail);
          return written;
        }),
      // Stored first, counted then: between the two nobody has been told of it.
      async post(executionId, mail, now) {
        const known = await link.call('post.store', executionId, async () => {
          const there = box(executionId).some((other) => other.id === mail.id);
          if (!there) db.mail.set(executionId, [...box(executionId), mail]);
          witness.kept(executionId, mail);
          return there;
        });
        return link.call('post', executionId, async () => {
          if (!known) {
            const others = box(executionId).filter((other) => other.id !== mail.id);
            db.mail.set(executionId, others);
          }
          const posted = await runs.post(executionId, mail, now);
          // The run may have read it before it was counted, and ended since: then it was no late one.
          if (posted.kind === 'ended' && !known && hadTaken(db, executionId, mail)) {
            db.mail.set(executionId, [...box(executionId), mail]);
            return { kind: 'posted', owner: null, due: null };
          }
          if (posted.kind === 'posted' || posted.kind === 'known') witness.counted(executionId, mail);
          return posted;
        });
      },
      // The count first: every message that it covers was stored before.
      async mail(executionId) {
        const { inbox } = await link.call('mail.count', executionId, () => runs.mail(executionId));
        if (inbox === 0) return { mail: [], inbox };
        const { mail } = await near.mail(executionId);
        return { mail, inbox };
      },
    },
    slots: remote(stores.slots, link),
    groups: remote(stores.groups, link),
    outboxes: remote(stores.outboxes, link),
    outputs: remote(stores.outputs, link),
    hosts: {
      ...remote(hosts, link),
      // Declared dead first, freed then: whoever declares them dead may die in between.
      async bury(by, now, all) {
        const lapsed = () =>
          [...db.hosts].filter(
            ([id, { state, leaseUntil }]) => id !== by && state === 'alive' && (all || leaseUntil < db.now()),
          );
        if (lapsed().length > 0) {
          await link.call('bury.mark', by, async () => {
            for (const [, host] of lapsed()) host.state = 'dead';
          });
        }
        return link.call('bury', by, () => hosts.bury(by, now, all));
      },
    },
  };
}
