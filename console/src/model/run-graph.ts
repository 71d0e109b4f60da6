import { formatDuration } from './format';
import type { Layout } from './layout';
import { loopText, planPath } from './loop-path';
import { statusLook, type Tone } from './status';

/** What the graph needs of a step of the API's overview. */
interface StepState {
  readonly step_id: string;
  readonly path: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly started_at: string | null;
  readonly duration_ms: number | null;
  readonly loop?: Parameters<typeof loopText>[0];
}

/** A card of the graph in words. */
export interface CardText {
  readonly status: string;
  /** Instead of the name of the status. */
  readonly label?: string;
  readonly tone: Tone | 'none';
  /** After the status. */
  readonly details: readonly string[];
  /** The start of what goes on, whose duration grows. */
  readonly since: string | null;
}

/** In the order in which a reader looks for them. */
const ORDER = ['failed', 'running', 'retrying', 'waiting', 'cancelled', 'completed', 'skipped'];
const OPEN: ReadonlySet<string> = new Set(['running', 'retrying', 'waiting']);

/** What the card of a step says. `over`: the run has ended, so what has not begun never will. */
export function cardText(step: StepState, over: boolean): CardText {
  const { status, counts, started_at: startedAt, duration_ms: durationMs, loop } = step;
  const begun = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (begun === 0)
    return { status: 'queued', label: over ? 'Not reached' : 'Pending', tone: 'none', details: [], since: null };
  const tone = status === 'skipped' ? 'none' : statusLook(status).tone;
  if (begun > 1) {
    const [first = '', ...others] = ORDER.filter((each) => (counts[each] ?? 0) > 0).map(
      (each) => `${(counts[each] ?? 0).toLocaleString('en')} ${statusLook(each).label.toLowerCase()}`,
    );
    return { status, label: first, tone, details: others, since: null };
  }
  const goesOn = OPEN.has(status);
  return {
    status,
    tone,
    ...(loop === undefined ? {} : { label: loopText({ ...loop, steps: {} }) }),
    details: [
      ...(loop?.steps.failed ? [`${loop.steps.failed.toLocaleString('en')} failed`] : []),
      ...(durationMs === null || goesOn || status === 'skipped' ? [] : [formatDuration(durationMs)]),
    ],
    since: goesOn ? startedAt : null,
  };
}

/** The card of a step of a run, by its path or its id: errors name a step by its id alone. */
export function cardOf({ steps }: Layout, step: string): string | undefined {
  const path = planPath(step);
  return (steps.find((card) => card.planPath === path) ?? steps.find((card) => card.step.id === step))?.key;
}

/** The step that a reader wants to see first: one that has failed, or goes on. */
export const firstOfConcern = (steps: readonly StepState[]): string | undefined =>
  ['failed', 'running', 'retrying', 'waiting']
    .map((status) => steps.find((step) => step.status === status)?.path)
    .find((path) => path !== undefined);
