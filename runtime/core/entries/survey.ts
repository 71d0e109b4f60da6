import { addUsd } from '../../../lib/usd';
import type { Usage } from '../../../nodes/contract';
import type { Entry, JournalRecord } from './entry';

/**
 * Facts of a history that can be collected record by record, without payloads and with one record in memory: for runs
 * that cannot be loaded, or must not be.
 */
export interface Survey {
  /** Position of the last record, and how many entries there are. */
  n: number;
  entries: number;
  /** Epoch of the last claim that recorded anything; 0: none did. */
  recordedEpoch: number;
  /** Epoch of the last claim that recorded progress, see `isProgress`. */
  progressEpoch: number;
  /** Open steps, in the order in which they began. */
  readonly open: Set<string>;
  /** As `RunState.children`. */
  readonly children: Map<string, string>;
  stepsRun: number;
  tokens: number;
  costUsd: number;
}

export const emptySurvey = (): Survey => ({
  n: 0,
  entries: 0,
  recordedEpoch: 0,
  progressEpoch: 0,
  open: new Set(),
  children: new Map(),
  stepsRun: 0,
  tokens: 0,
  costUsd: 0,
});

/** False for the intent of a step or sub-step. */
export const isProgress = (entry: Entry): boolean =>
  entry.kind !== 'step.started' && (entry.kind !== 'step.noted' || entry.value !== undefined || 'value_ref' in entry);

export function addRecord(survey: Survey, { n, epoch, json }: JournalRecord): void {
  const entries = JSON.parse(json) as Entry[];
  survey.n = n;
  survey.entries += entries.length;
  survey.recordedEpoch = epoch;
  if (entries.some(isProgress)) survey.progressEpoch = epoch;
  for (const entry of entries) addEntry(survey, entry);
}

function addEntry(survey: Survey, entry: Entry): void {
  if ('usage' in entry) addUsage(survey, entry.usage);
  if ('mail' in entry && entry.mail !== undefined) {
    const path = 'path' in entry ? entry.path : '';
    for (const [child, starter] of survey.children)
      if (starter === path && entry.mail.endsWith(child)) survey.children.delete(child);
  }
  switch (entry.kind) {
    case 'step.started':
      if (entry.child !== undefined) survey.children.set(entry.child, entry.path);
      survey.open.add(entry.path);
      return;
    case 'step.waiting':
    case 'step.opened':
    case 'step.resumed':
      survey.open.add(entry.path);
      return;
    case 'step.failed':
      if (entry.retryAt !== null) return void survey.open.add(entry.path);
      if (entry.from === undefined) survey.stepsRun += 1;
      survey.open.delete(entry.path);
      return;
    case 'step.completed':
      if (entry.from === undefined) survey.stepsRun += 1;
      survey.open.delete(entry.path);
      return;
    case 'step.skipped':
    case 'step.cancelled':
      survey.open.delete(entry.path);
      return;
    default:
      return;
  }
}

function addUsage(survey: Survey, usage: Usage | undefined): void {
  survey.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  survey.costUsd = addUsd(survey.costUsd, usage?.cost_usd ?? 0);
}
