/** What happens in a simulation, as data: a list that can be printed, repeated, and made shorter. */
import type { Concurrency } from '../../runtime/core/model';
import { DEFAULT_PRIORITY } from '../../runtime/core/decide/priority';
import type { GatheringRule } from '../../runtime/core/decide/gathering';
import type { ConnectionLimits } from '../../runtime/core/decide/quota';
import type { Throttle } from '../../runtime/core/decide/throttle';
import { Dice } from './chance';
import { FLOWS, POISON } from './flows';
import type { Entrance } from './machine';

/** Verbs whose requests may trigger a fault. */
export const VERBS = [
  'insert',
  'append',
  'end',
  'release',
  'claim',
  'journal',
  'mail',
  'post',
  'renew',
  'bury',
] as const;
const WRITES = ['insert', 'append', 'append', 'end', 'release', 'release', 'claim'] as const;
/** Verbs of concurrency groups. */
const GROUP_VERBS = ['acquireUnlessQueued', 'markQueued', 'releaseOnly', 'clearQueued', 'gone', 'clear'] as const;
const GROUP_WRITES = ['acquireUnlessQueued', 'markQueued', 'releaseOnly', 'clearQueued'] as const;
/** Verbs of throttles. */
const WINDOW_VERBS = ['read', 'admit', 'markQueued', 'waiters', 'pass', 'wakeAt'] as const;
const WINDOW_WRITES = ['admit', 'admit', 'pass', 'markQueued', 'wakeAt'] as const;
/** Verbs of debounces and batches. */
const GATHERING_VERBS = ['current', 'advance', 'mark', 'move', 'find', 'add', 'seal', 'begin'] as const;
const GATHERING_WRITES = ['advance', 'mark', 'move', 'add', 'add', 'seal', 'begin', 'begin'] as const;
/** Verbs of a connection with limits. */
const QUOTA_VERBS = ['read', 'write', 'running', 'mark', 'wakeAt'] as const;
const QUOTA_WRITES = ['write', 'write', 'mark', 'wakeAt'] as const;
export type Verb =
  | (typeof VERBS)[number]
  | (typeof GROUP_VERBS)[number]
  | (typeof WINDOW_VERBS)[number]
  | (typeof QUOTA_VERBS)[number]
  | (typeof GATHERING_VERBS)[number];

/** Verbs of the limits that a plan has. */
interface LimitVerbs {
  readonly verbs: readonly Verb[];
  readonly writes: readonly Verb[];
}

const verbsOf = ({ group, throttle, gathering, quota }: Limits): LimitVerbs => ({
  verbs: [
    ...(group !== null ? GROUP_VERBS : []),
    ...(throttle !== null ? WINDOW_VERBS : []),
    ...(gathering !== null ? GATHERING_VERBS : []),
    ...(quota !== null ? QUOTA_VERBS : []),
  ],
  writes: [
    ...(group !== null ? GROUP_WRITES : []),
    ...(throttle !== null ? WINDOW_WRITES : []),
    ...(gathering !== null ? GATHERING_WRITES : []),
    ...(quota !== null ? QUOTA_WRITES : []),
  ],
});

/** What runs of a plan share. */
interface Limits {
  readonly group: Concurrency | null;
  readonly throttle: Omit<Throttle, 'passed'> | null;
  readonly gathering: Omit<GatheringRule, 'slot'> | null;
  readonly quota: ConnectionLimits | null;
}

/** When something happens: at a time from the beginning, or around a machine's nth request of a verb. */
export type When =
  | { readonly at: number }
  | { readonly verb: Verb; readonly nth: number; readonly when: 'sent' | 'done' };

/** How requests to the database go wrong for a while. */
export const REQUEST_FAULTS = ['slow', 'refused', 'unanswered', 'late', 'any'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** The id of the nth run that a step starts. */
export const childId = (run: string, path: string, n: number): string => `${run}>${path}#${n}`;

/** Requests of clients. */
export type Command =
  | {
      kind: 'start';
      at: number;
      run: string;
      flow: string;
      n: number;
      machine: number;
      storeWithinMs: number;
      again: number | null;
      tenant: string;
      group: Concurrency | null;
      throttle: Omit<Throttle, 'passed'> | null;
      gathering: Omit<GatheringRule, 'slot'> | null;
      priority: number;
    }
  | { kind: 'signal'; at: number; run: string; name: string; id: string; v: number }
  | { kind: 'decide'; at: number; run: string; step: string; approved: boolean }
  | { kind: 'cancel'; at: number; run: string }
  | { kind: 'pause_run' | 'resume_run'; at: number; run: string };

/** Faults. */
export type Fault =
  | { kind: 'crash'; when: When; machine: number; backMs: number }
  | { kind: 'pause'; when: When; machine: number; forMs: number; first: Entrance }
  | { kind: 'stop'; when: When; machine: number; graceMs: number; backMs: number }
  | { kind: 'requests'; when: When; machine: number; forMs: number; requestFault: RequestFault; share: number }
  /** A request arrives late, after its sender has died or was paused. */
  | {
      kind: 'straggler';
      when: When;
      machine: number;
      lateMs: number;
      sender: 'dies' | 'pauses' | 'goes on';
      backMs: number;
    }
  | { kind: 'deaf'; when: When; machine: number; forMs: number };

export type Act = Command | Fault;

export interface Plan {
  readonly seed: number;
  readonly machines: readonly { readonly capacity: number; readonly offsetMs: number }[];
  /** Share of requests that fail at any time, and of hints that are lost, or come twice. */
  readonly rough: number;
  readonly lostHints: number;
  /** How many runs of a tenant may be in memory at a time. */
  readonly limits: Readonly<Record<string, number | null>>;
  /** Of the connection that steps share; null: none. */
  readonly quota: ConnectionLimits | null;
  readonly acts: readonly Act[];
}

/** Times of commands and faults, from the beginning. */
const CHAOS_MS = 7_000;
export const LEASE_MS = 4_000;

/** Apart from all seeds that are played. */
const QUOTA_SEEDS = 1_000_000_000;

export function planOf(seed: number): Plan {
  const dice = new Dice(seed);
  const machines = Array.from({ length: dice.pick([1, 2, 2, 2, 3, 3, 4]) }, () => ({
    capacity: dice.pick([1, 2, 3, 10]),
    offsetMs: dice.chance(0.5) ? 0 : dice.between(-500, 500),
  }));
  const limits = { t1: dice.pick([null, null, 1, 2, 3]), t2: dice.pick([null, 1, 5]) };
  const group = dice.chance(0.3) ? groupOf(dice) : null;
  const throttle = dice.chance(0.3) ? throttleOf(dice) : null;
  // Runs of another document, which shares both by name and has limits of its own.
  const otherGroup = group !== null && dice.chance(0.3) ? sharedGroupOf(dice, group) : null;
  const otherThrottle = throttle !== null && dice.chance(0.7) ? throttleOf(dice) : null;
  const gathering = dice.chance(0.3) ? gatheringRuleOf(dice) : null;
  // Of dice of its own: plans without it stay as they are.
  const quotaDice = new Dice(seed + QUOTA_SEEDS);
  const quota = quotaDice.chance(0.3) ? quotaOf(quotaDice) : null;
  const limited = group !== null || throttle !== null;
  const runs = dice.between(1, gathering !== null ? 8 : limited ? 6 : 5);
  const acts: Act[] = [];
  for (let run = 1; run <= runs; run++) {
    const tenant = dice.chance(0.7) ? 't1' : 't2';
    const whose = {
      run: `r${run}`,
      tenant,
      group: dice.chance(0.75) ? sharedOf(dice, group, otherGroup) : null,
      throttle: dice.chance(0.8) ? sharedOf(dice, throttle, otherThrottle) : null,
      gathering: dice.chance(0.85) ? gathering : null,
      priority: dice.chance(0.3) ? dice.between(1, 5) : DEFAULT_PRIORITY,
    };
    const near = whose.gathering === null ? [] : timesNear(acts, whose.gathering.periodMs);
    acts.push(...commandsOf(dice, whose, near, machines.length));
  }
  const faults = dice.pick([0, 1, 1, 2, 2, 3, 4, 5]);
  for (let fault = 0; fault < faults; fault++)
    acts.push(faultOf(dice, dice.between(0, machines.length - 1), verbsOf({ group, throttle, gathering, quota })));
  // A permit is held for a run that takes long to be stored, on a host that acts.
  if (group !== null && dice.chance(0.3)) acts.push(lateInsert(dice, dice.between(0, machines.length - 1)));
  if (dice.chance(0.1)) acts.push(poison(dice.between(20, 3_000), dice.between(0, machines.length - 1)));
  return {
    seed,
    machines,
    rough: dice.pick([0, 0, 0, 0.01, 0.05, 0.1]),
    lostHints: dice.pick([0, 0, 0.3, 1]),
    limits,
    quota,
    acts,
  };
}

/** A run that ends each process that runs it. */
const poison = (at: number, machine: number): Command => ({
  kind: 'start',
  at,
  run: 'poison',
  flow: POISON,
  n: 1,
  machine,
  storeWithinMs: 0,
  again: null,
  tenant: 't2',
  group: null,
  throttle: null,
  gathering: null,
  priority: DEFAULT_PRIORITY,
});

function groupOf(dice: Dice): Concurrency {
  const onConflict = dice.pick(['queue', 'queue', 'skip', 'cancel_running'] as const);
  return { group: 'g', key: 'key', limit: dice.pick([1, 1, 2]), onConflict };
}

/** Limits of several documents are shared by name. */
const sharedOf = <T extends object>(dice: Dice, own: T | null, other: T | null): T | null =>
  own === null || other === null ? own : { ...dice.pick([own, other]), name: 'shared' };

/** Runs of other documents are not cancelled. */
const sharedGroupOf = (dice: Dice, group: Concurrency): Concurrency | null =>
  group.onConflict === 'cancel_running' ? null : { ...group, limit: dice.pick([1, 2, 4]) };

type Whose = Pick<
  Extract<Command, { kind: 'start' }>,
  'run' | 'tenant' | 'group' | 'throttle' | 'gathering' | 'priority'
>;

function throttleOf(dice: Dice): Omit<Throttle, 'passed'> {
  const limit = dice.pick([1, 1, 2, 3]);
  const burst = dice.chance(0.5) ? limit : dice.between(1, limit);
  return { window: 'w', key: 'key', limit, periodMs: dice.pick([1_000, 2_000, 4_000]), burst };
}

function quotaOf(dice: Dice): ConnectionLimits {
  const rate = { limit: dice.pick([1, 2, 3]), periodMs: dice.pick([300, 1_000, 2_000]) };
  const concurrency = dice.pick([1, 1, 2, 3]);
  return dice.pick([
    { rate, concurrency: null },
    { rate: null, concurrency },
    { rate, concurrency },
  ]);
}

function gatheringRuleOf(dice: Dice): Omit<GatheringRule, 'slot'> {
  const periodMs = dice.pick([300, 1_000, 2_000]);
  if (dice.chance(0.5))
    return { kind: 'batch', key: 'key', periodMs, maxWaitMs: periodMs, maxSize: dice.pick([2, 3, 10]) };
  return { kind: 'debounce', key: 'key', periodMs, maxWaitMs: dice.pick([periodMs, 3_000, 60_000]), maxSize: null };
}

/** When earlier starts are gathered, and when their runs may begin. */
const timesNear = (acts: readonly Act[], periodMs: number): number[] =>
  acts.flatMap((act) => (act.kind === 'start' && act.gathering !== null ? [act.at, act.at + periodMs] : []));

/** `near`: times at which a start competes with others. */
function commandsOf(dice: Dice, whose: Whose, near: readonly number[], machines: number): Command[] {
  const { run } = whose;
  const flow = dice.pick(FLOWS);
  const isNear = near.length > 0 && dice.chance(0.6);
  const at = isNear ? dice.pick(near) + dice.between(-2, 6) : dice.between(20, dice.pick([100, 1_000, 4_000]));
  const again = dice.chance(0.2) ? dice.between(0, machines - 1) : null;
  const commands: Command[] = [
    {
      kind: 'start',
      at,
      ...whose,
      flow: flow.name,
      n: dice.between(1, 99),
      machine: dice.between(0, machines - 1),
      storeWithinMs: again === null && dice.chance(0.4) ? dice.pick([2, Number.POSITIVE_INFINITY]) : 0,
      again,
    },
  ];
  const later = (): number => at + dice.between(0, dice.pick([30, 300, 2_000, 6_000]));
  for (const name of flow.signals) {
    const count = dice.between(0, 3);
    for (let nth = 1; nth <= count; nth++)
      commands.push({ kind: 'signal', at: later(), run, name, id: `${run}-${nth}`, v: dice.between(1, 99) });
  }
  for (const step of flow.approvals) {
    for (let count = dice.between(0, 2); count > 0; count--)
      commands.push({ kind: 'decide', at: later(), run, step, approved: dice.chance(0.6) });
  }
  // Also a signal that nothing waits for.
  if (dice.chance(0.1)) commands.push({ kind: 'signal', at: later(), run, name: 'other', id: `${run}-o`, v: 0 });
  for (const step of flow.children)
    if (dice.chance(0.1)) commands.push({ kind: 'cancel', at: later(), run: childId(run, step, 0) });
  if (dice.chance(flow.cleansUp ? 0.5 : 0.12)) commands.push({ kind: 'cancel', at: later(), run });
  for (let count = dice.pick([0, 0, 0, 1, 2]); count > 0; count--) {
    commands.push({ kind: 'pause_run', at: later(), run });
    if (dice.chance(0.6)) commands.push({ kind: 'resume_run', at: later(), run });
  }
  return commands;
}

function whenOf(dice: Dice, { verbs }: LimitVerbs): When {
  if (dice.chance(0.4)) return { at: dice.between(0, CHAOS_MS) };
  return {
    verb: dice.pick<Verb>(verbs.length > 0 && dice.chance(0.5) ? verbs : VERBS),
    nth: dice.between(1, 6),
    when: dice.chance(0.5) ? 'sent' : 'done',
  };
}

const lateInsert = (dice: Dice, machine: number): Fault => ({
  kind: 'straggler',
  when: { verb: 'insert', nth: 1, when: 'sent' },
  machine,
  lateMs: dice.between(500, 8_000),
  sender: 'goes on',
  backMs: 0,
});

const KINDS = [
  'crash',
  'crash',
  'crash',
  'pause',
  'pause',
  'stop',
  'requests',
  'requests',
  'straggler',
  'straggler',
  'straggler',
  'straggler',
  'deaf',
] as const;

function faultOf(dice: Dice, machine: number, limits: LimitVerbs): Fault {
  const when = whenOf(dice, limits);
  const writes = limits.writes.length > 0 && dice.chance(0.5) ? limits.writes : WRITES;
  switch (dice.pick(KINDS)) {
    case 'crash':
      return { kind: 'crash', when, machine, backMs: dice.between(100, 7_000) };
    case 'pause':
      return { kind: 'pause', when, machine, forMs: dice.between(50, 7_000), first: dice.pick(['timer', 'answer']) };
    case 'stop':
      return { kind: 'stop', when, machine, graceMs: dice.between(0, 3_000), backMs: dice.between(100, 4_000) };
    case 'requests':
      return {
        kind: 'requests',
        when,
        machine,
        forMs: dice.between(100, 6_000),
        requestFault: dice.pick(REQUEST_FAULTS),
        share: dice.pick([0.2, 0.5, 1]),
      };
    case 'straggler':
      return {
        kind: 'straggler',
        when: { verb: dice.pick<Verb>(writes), nth: dice.pick([1, 1, 2, 3]), when: 'sent' },
        machine,
        lateMs: dice.chance(0.3) ? dice.between(500, 4_000) : dice.between(4_000, 8_000),
        sender: dice.pick(['dies', 'dies', 'dies', 'pauses', 'goes on']),
        backMs: dice.between(100, 7_000),
      };
    case 'deaf':
      return { kind: 'deaf', when, machine, forMs: dice.between(1_000, CHAOS_MS) };
  }
}
