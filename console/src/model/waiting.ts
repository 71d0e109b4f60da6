import { formatInstant } from './format';

interface Waiting {
  readonly step_id: string | null;
  readonly kind: string;
  readonly name: string | null;
  readonly until: string | null;
  /** Of a pause. */
  readonly by?: string | null;
  readonly reason?: string | null;
}

const SENTENCES: Readonly<Record<string, (wait: Waiting) => string>> = {
  approval: ({ step_id }) => `Waits for the approval ${step_id ?? ''}`,
  form: ({ name }) => `Waits for the form ${name ?? ''}`,
  signal: ({ name }) => `Waits for the signal ${name ?? ''}`,
  timer: () => 'Waits for a time',
  retry: ({ step_id }) => `Retries ${step_id ?? 'a step'}`,
  child: () => 'Waits for another run',
  connection: ({ step_id }) => `${step_id ?? 'A step'} waits for its turn to use a connection`,
  slot: () => "Waits for a free place within the plan's limit",
  throttle: ({ name }) => (name === null ? 'Waits for its turn to start' : `Waits for its turn to start, key ${name}`),
  debounce: ({ name }) => (name === null ? 'Waits for further starts' : `Waits for further starts, key ${name}`),
  batch: ({ name }) => (name === null ? 'Gathers starts of a batch' : `Gathers starts of a batch, key ${name}`),
  capacity: () => 'Waits for a free executor',
  paused: ({ by = null, reason = null }) =>
    `Paused${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`,
};

/** The status of a run as it is shown: one that runs and waits is waiting, and one that is paused is paused. */
export function shownStatus({
  status,
  waiting,
}: {
  readonly status: string;
  readonly waiting: readonly Pick<Waiting, 'kind'>[];
}): string {
  if (status !== 'running' || waiting.length === 0) return status;
  return isPaused({ waiting }) ? 'paused' : 'waiting';
}

/** A pause is the first of the waits of its run. */
export const isPaused = ({ waiting }: { readonly waiting: readonly Pick<Waiting, 'kind'>[] }): boolean =>
  waiting[0]?.kind === 'paused';

/** What a run waits for, and until when, in one sentence without a full stop. */
export function waitSentence(wait: Waiting): string {
  const sentence = (SENTENCES[wait.kind]?.(wait) ?? `Waits for ${wait.kind}`).trim();
  return wait.until === null ? sentence : `${sentence} until ${formatInstant(Date.parse(wait.until))}`;
}
