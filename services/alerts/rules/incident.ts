/**
 * The incident of a rule and a workflow: what holds, since when, how often, and which notices were given of it. Pure.
 *
 *  I1  An incident has one `opened` notice at most until it is `recovered`.
 *  I2  Notices are a quiet period apart, except `recovered`, which comes at once and only after another notice.
 *  I3  A condition that holds again within the quiet period continues the incident, so that one that comes and goes
 *      does not give a notice each time.
 *  I4  While muted, no notice is given. One that would have opened the incident is given afterwards, if it still holds.
 */
type NoticeKind = 'opened' | 'reminder' | 'recovered';

/** What there is to say of an incident. Instants in epoch milliseconds. */
interface Track {
  /** Counts the incidents of the rule and the workflow, from 1. */
  readonly number: number;
  readonly since: number;
  readonly count: number;
  /** The last runs, oldest first. */
  readonly runs: readonly string[];
  readonly detail: string;
  /** Notices so far. */
  readonly notices: number;
  readonly last: { readonly kind: NoticeKind; readonly at: number } | null;
}

export type Incident =
  | { readonly kind: 'none'; readonly number: number }
  | { readonly kind: 'firing'; readonly track: Track }
  | { readonly kind: 'over'; readonly track: Track };

/** What is seen of a condition. `still`: nothing new, what held holds. */
export type Observation =
  | { readonly kind: 'still' }
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'holds';
      readonly since: number;
      /** What an incident that begins with this has counted. */
      readonly opens: number;
      /** What is added to an incident that goes on. */
      readonly adds: number;
      readonly runs: readonly string[];
      readonly detail: string;
    };

export interface Policy {
  readonly quietMs: number;
  readonly mutedUntil: number | null;
}

/** A notice to be sent. `seq` counts those of the incident, from 1. */
export interface Notice extends Omit<Track, 'last' | 'notices'> {
  readonly kind: NoticeKind;
  readonly seq: number;
  readonly at: number;
}

interface Step {
  readonly incident: Incident;
  readonly notices: readonly Notice[];
}

export const NO_INCIDENT: Incident = { kind: 'none', number: 0 };

const MAX_RUNS = 5;

/** The incident after an observation, and the notices that it gives. */
export function step(incident: Incident, seen: Observation, now: number, policy: Policy): Step {
  switch (seen.kind) {
    case 'still':
      return incident.kind === 'firing' ? notify(incident.track, now, policy) : { incident, notices: [] };
    case 'clear':
      return incident.kind === 'firing' ? recover(incident.track, now, policy) : { incident, notices: [] };
    case 'holds':
      return notify(grown(incident, seen, now, policy), now, policy);
  }
}

/** When a firing incident next has a notice to give without being observed; null for others. */
export function nextNoticeAt(incident: Incident, { quietMs, mutedUntil }: Policy): number | null {
  if (incident.kind !== 'firing') return null;
  const { last } = incident.track;
  return Math.max(last === null ? 0 : last.at + quietMs, mutedUntil ?? 0);
}

type Holds = Extract<Observation, { kind: 'holds' }>;

function grown(incident: Incident, seen: Holds, now: number, policy: Policy): Track {
  const { detail, since } = seen;
  if (incident.kind !== 'none' && (incident.kind === 'firing' || isQuiet(incident.track, now, policy))) {
    const { track } = incident;
    const added = incident.kind === 'firing' ? seen.adds : seen.opens;
    return { ...track, count: track.count + added, runs: lastRuns([...track.runs, ...seen.runs]), detail };
  }
  const number = (incident.kind === 'none' ? incident.number : incident.track.number) + 1;
  return { number, since, count: seen.opens, runs: lastRuns(seen.runs), detail, notices: 0, last: null };
}

const isQuiet = ({ last }: Track, now: number, { quietMs }: Policy): boolean =>
  last !== null && now < last.at + quietMs;

function notify(track: Track, now: number, policy: Policy): Step {
  if (isMuted(policy, now) || isQuiet(track, now, policy)) return { incident: { kind: 'firing', track }, notices: [] };
  const kind = track.last === null || track.last.kind === 'recovered' ? 'opened' : 'reminder';
  return notified(track, kind, now, 'firing');
}

function recover(track: Track, now: number, policy: Policy): Step {
  const isKnown = track.last !== null && track.last.kind !== 'recovered';
  if (isKnown && !isMuted(policy, now)) return notified(track, 'recovered', now, 'over');
  return { incident: { kind: 'over', track }, notices: [] };
}

function notified(track: Track, kind: NoticeKind, now: number, then: 'firing' | 'over'): Step {
  const after: Track = { ...track, notices: track.notices + 1, last: { kind, at: now } };
  const { last: _last, notices, ...facts } = after;
  return { incident: { kind: then, track: after }, notices: [{ ...facts, kind, seq: notices, at: now }] };
}

const isMuted = ({ mutedUntil }: Policy, now: number): boolean => mutedUntil !== null && now < mutedUntil;

const lastRuns = (runs: readonly string[]): string[] => [...new Set(runs)].slice(-MAX_RUNS);
