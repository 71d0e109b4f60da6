import type { OutputStore } from '../../runtime/ports/output-store';
import type { JournalRecord } from '../../runtime/core/entries/entry';
import { CANCEL, type Message } from '../../runtime/core/state/state';
import type { Admitted } from '../../runtime/core/decide/throttle';
import type { GatheringStore } from '../../runtime/ports/gathering-store';
import type { Quota } from '../../runtime/core/decide/quota';
import type { QuotaStore } from '../../runtime/ports/quota-store';
import type { WindowStore } from '../../runtime/ports/window-store';
import type { GroupStore } from '../../runtime/ports/group-store';
import type { OutboxStore } from '../../runtime/ports/outbox-store';
import type { Execution, PauseRequest } from '../../runtime/core/model';
import type { HostStore } from '../../runtime/ports/host-store';
import type { RunStore } from '../../runtime/ports/run-store';
import type { SlotStore } from '../../runtime/ports/slot-store';
import { SimConnection, type SimDatabase } from '../support/runtime/sim-store';
import { historyOf } from './history';
import type { Link } from './link';

/** Called when the database has done something, at the very moment. */
export interface Witness {
  readonly recorded: (record: JournalRecord) => void;
  readonly claimed: (execution: Execution) => void;
  /** A message is in the database, and no host has a hint of it. */
  readonly kept: (executionId: string, mail: Message) => void;
  /** A new run is stored. */
  readonly inserted: (execution: Execution) => void;
  /** A run has taken the last of the starts. */
  readonly added: (executionId: string, starts: readonly string[]) => void;
  /** A run that gathered starts has begun. */
  readonly begun: (executionId: string) => void;
  /** A window has admitted the last of the starts. */
  readonly admitted: (window: string, starts: readonly Admitted[]) => void;
  /** The use of the connection has changed. */
  readonly used: (connection: string, before: Quota | undefined, after: Quota) => void;
  readonly counted: (executionId: string, mail: Message) => void;
  /** `before`: number of the request before. */
  readonly pauseStored: (executionId: string, request: PauseRequest, before: number) => void;
  /** A host that has loaded the run has released it. */
  readonly released: (execution: Execution) => void;
}

/** All stores, as a process sees them. */
export interface Stores {
  readonly runs: RunStore;
  readonly hosts: HostStore;
  readonly slots: SlotStore;
  readonly groups: GroupStore;
  readonly windows: WindowStore;
  readonly quotas: QuotaStore;
  readonly gatherings: GatheringStore;
  readonly outboxes: OutboxStore;
  readonly outputs: OutputStore;
}

/** The argument that identifies the object of a verb. */
function keyOf([first]: readonly unknown[]): string {
  if (typeof first === 'string') return first;
  const { id, executionId } = (first ?? {}) as { id?: string; executionId?: string };
  return executionId ?? id ?? '';
}

/** Whether a run had consumed this message when it ended. Its history names all messages but a cancellation. */
function hadTaken(db: SimDatabase, id: string, mail: Message): boolean {
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
 * requests here too, each with its own faults.
 */
export function remoteStores(db: SimDatabase, link: Link, witness: Witness, spoil: (stores: Stores) => Stores): Stores {
  const connection = new SimConnection(db);
  const { runs, hosts, slots, groups, windows, quotas, gatherings, outboxes, outputs } = connection;
  return distant(
    db,
    link,
    witness,
    spoil({ runs, hosts, slots, groups, windows, quotas, gatherings, outboxes, outputs }),
  );
}

function distant(db: SimDatabase, link: Link, witness: Witness, stores: Stores): Stores {
  const { runs, hosts } = stores;
  const near = remote(runs, link);
  const box = (id: string): Message[] => db.mail.get(id) ?? [];
  const holds = ({ executionId, n, host, epoch }: JournalRecord): boolean =>
    db.journals.get(executionId)?.some((other) => other.n === n && other.host === host && other.epoch === epoch) ===
    true;
  return {
    runs: {
      ...near,
      insert: (execution, tail) =>
        link.call('insert', execution.id, async () => {
          const inserted = await runs.insert(execution, tail);
          if (inserted === 'inserted') witness.inserted(execution);
          return inserted;
        }),
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
      release: (claim, to) =>
        link.call('release', claim.id, async () => {
          const released = await runs.release(claim, to);
          const execution = db.executions.get(claim.id);
          if (released === 'released' && to.size !== undefined && execution !== undefined) witness.released(execution);
          return released;
        }),
      requestPause: (executionId, request, now) =>
        link.call('requestPause', executionId, async () => {
          const before = db.executions.get(executionId)?.pause?.rev ?? 0;
          const posted = await runs.requestPause(executionId, request, now);
          if (posted.kind === 'posted') witness.pauseStored(executionId, request, before);
          return posted;
        }),
      // Stored first, counted then: between the two no host has a hint of it.
      async addMessage(executionId, mail, now) {
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
          const posted = await runs.addMessage(executionId, mail, now);
          // The run may have read it before it was counted, and ended since: then it was not late.
          if (posted.kind === 'ended' && !known && hadTaken(db, executionId, mail)) {
            db.mail.set(executionId, [...box(executionId), mail]);
            return { kind: 'posted', owner: null, due: null };
          }
          if (posted.kind === 'posted' || posted.kind === 'known') witness.counted(executionId, mail);
          return posted;
        });
      },
      // Reads the count first: every message that it covers was stored before.
      async messages(executionId) {
        const { messageSeq, pause } = await link.call('mail.count', executionId, () => runs.messages(executionId));
        if (messageSeq === 0) return { messages: [], pause, messageSeq };
        const { messages } = await near.messages(executionId);
        return { messages, pause, messageSeq };
      },
    },
    slots: remote(stores.slots, link),
    groups: remote(stores.groups, link),
    windows: {
      ...remote(stores.windows, link),
      admit: (window, before, after, keepMs) =>
        link.call('admit', window, async () => {
          const isAdmitted = await stores.windows.admit(window, before, after, keepMs);
          if (isAdmitted) witness.admitted(window, after.starts);
          return isAdmitted;
        }),
    },
    quotas: {
      ...remote(stores.quotas, link),
      write: (connection, before, after, revision, until) =>
        link.call('write', connection, async () => {
          const known = db.quotas.get(connection)?.quota;
          const written = await stores.quotas.write(connection, before, after, revision, until);
          if (written) witness.used(connection, known, after);
          return written;
        }),
    },
    gatherings: {
      ...remote(stores.gatherings, link),
      add: (id, after, start) =>
        link.call('add', id, async () => {
          const isAdded = await stores.gatherings.add(id, after, start);
          if (isAdded) witness.added(id, after.starts);
          return isAdded;
        }),
      begin: (claim, run) =>
        link.call('begin', claim.id, async () => {
          const isBegun = await stores.gatherings.begin(claim, run);
          if (isBegun) witness.begun(claim.id);
          return isBegun;
        }),
    },
    outboxes: remote(stores.outboxes, link),
    outputs: remote(stores.outputs, link),
    hosts: {
      ...remote(hosts, link),
      // Declared dead first, freed then: the process that declares them dead may die in between.
      async expireHosts(by, now, all) {
        const lapsed = () =>
          [...db.hosts].filter(
            ([id, { state, leaseUntil }]) => id !== by && state === 'alive' && (all || leaseUntil < db.now()),
          );
        if (lapsed().length > 0) {
          await link.call('bury.mark', by, async () => {
            for (const [, host] of lapsed()) host.state = 'dead';
          });
        }
        return link.call('bury', by, () => hosts.expireHosts(by, now, all));
      },
    },
  };
}
