import type { AlertChannel, AlertCondition, AlertView } from '../../../clients/typescript/src/api.ts';

export type ConditionKind = AlertCondition['kind'];
export type ChannelKind = AlertChannel['kind'];

/** A control of a condition. */
type ConditionField =
  | { readonly name: string; readonly label: string; readonly kind: 'number'; readonly initial: string }
  | { readonly name: string; readonly label: string; readonly kind: 'duration'; readonly initial: string }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: 'choice';
      readonly initial: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
    };

const WINDOW: ConditionField = { name: 'window', label: 'Within the last', kind: 'duration', initial: '1h' };
const MIN_RUNS: ConditionField = { name: 'min_runs', label: 'Of at least so many runs', kind: 'number', initial: '10' };

/** The conditions in the order of the form, with their fields. */
export const CONDITIONS: Readonly<
  Record<ConditionKind, { readonly label: string; readonly fields: readonly ConditionField[] }>
> = {
  failures_in_row: {
    label: 'Failures in a row',
    fields: [{ name: 'failures', label: 'Failed runs', kind: 'number', initial: '3' }],
  },
  failure_rate: {
    label: 'Failure rate',
    fields: [{ name: 'percent', label: 'Failed runs in percent', kind: 'number', initial: '20' }, WINDOW, MIN_RUNS],
  },
  p95_duration: {
    label: 'Slow runs (95th percentile)',
    fields: [{ name: 'longer_than', label: 'Longer than', kind: 'duration', initial: '30s' }, WINDOW, MIN_RUNS],
  },
  missed_schedule: {
    label: 'Missed schedule',
    fields: [{ name: 'grace', label: 'Not started after', kind: 'duration', initial: '5m' }],
  },
  long_run: {
    label: 'Run takes too long',
    fields: [
      {
        name: 'state',
        label: 'The run is',
        kind: 'choice',
        initial: 'waiting',
        options: [
          { value: 'waiting', label: 'Waiting' },
          { value: 'running', label: 'Running' },
        ],
      },
      { name: 'longer_than', label: 'For longer than', kind: 'duration', initial: '4h' },
    ],
  },
  budget: {
    label: 'Budget spent',
    fields: [
      {
        name: 'of',
        label: 'Of',
        kind: 'choice',
        initial: 'cost_usd',
        options: [
          { value: 'cost_usd', label: 'Model costs in USD' },
          { value: 'tokens', label: 'Tokens' },
          { value: 'executions', label: 'Runs' },
        ],
      },
      {
        name: 'per',
        label: 'Per',
        kind: 'choice',
        initial: 'month',
        options: [
          { value: 'day', label: 'Day' },
          { value: 'month', label: 'Month' },
        ],
      },
      { name: 'above', label: 'More than', kind: 'number', initial: '50' },
    ],
  },
};

/** A channel while it is edited: texts of its controls. */
export interface ChannelDraft {
  /** Tells the rows of the form apart. */
  readonly key: string;
  /** Of a channel that is stored. */
  readonly id?: string;
  readonly kind: ChannelKind;
  readonly to: string;
  readonly url: string;
  readonly action: string;
  readonly connection: string;
  readonly input: string;
  readonly textField: string;
}

export const newChannel = (key: string, kind: ChannelKind): ChannelDraft => ({
  key,
  kind,
  to: 'owners',
  url: '',
  action: 'chat.post_message',
  connection: '',
  input: '{ "channel": "" }',
  textField: 'text',
});

export function channelDraft(channel: AlertChannel): ChannelDraft {
  const draft = { ...newChannel(channel.id, channel.kind), id: channel.id };
  switch (channel.kind) {
    case 'mail':
      return { ...draft, to: channel.to.join(', ') };
    case 'webhook':
      return { ...draft, url: channel.url };
    case 'connector':
      return {
        ...draft,
        action: channel.action,
        connection: channel.connection ?? '',
        input: JSON.stringify(channel.input),
        textField: channel.text_field,
      };
  }
}

/** A channel of a request. @throws Error where its input is no JSON object */
export function channelBody(draft: ChannelDraft) {
  const id = draft.id === undefined ? {} : { id: draft.id };
  switch (draft.kind) {
    case 'mail':
      return { ...id, kind: draft.kind, to: draft.to.split(',').map((each) => each.trim()) };
    case 'webhook':
      return { ...id, kind: draft.kind, url: draft.url };
    case 'connector':
      return {
        ...id,
        kind: draft.kind,
        action: draft.action,
        ...(draft.connection === '' ? {} : { connection: draft.connection }),
        input: inputOf(draft.input),
        text_field: draft.textField,
      };
  }
}

function inputOf(text: string): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The message below says it.
  }
  throw new Error('The input of the action must be a JSON object, such as { "channel": "C0123" }');
}

/** The condition of a form's values. */
export function conditionBody(kind: ConditionKind, values: Readonly<Record<string, string>>) {
  const fields = CONDITIONS[kind].fields.map(({ name, kind: type }) => {
    const text = (values[`condition.${name}`] ?? '').trim();
    return [name, type === 'number' ? Number(text) : text] as const;
  });
  return { kind, ...Object.fromEntries(fields) };
}

/** The value of a field of a stored condition, or the initial one. */
export function fieldValue(condition: AlertCondition | null, kind: ConditionKind, field: ConditionField): string {
  if (condition === null || condition.kind !== kind) return field.initial;
  const value: unknown = Object.entries(condition).find(([name]) => name === field.name)?.[1];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : field.initial;
}

const UNITS = { cost_usd: 'USD', tokens: 'tokens', executions: 'runs' } as const;

/** A condition in one line. */
export function conditionText(condition: AlertCondition): string {
  switch (condition.kind) {
    case 'failures_in_row':
      return condition.failures === 1 ? 'Each failure' : `${condition.failures} failures in a row`;
    case 'failure_rate':
      return `${condition.percent} % of ${condition.min_runs} or more runs fail in ${condition.window}`;
    case 'p95_duration':
      return `95th percentile over ${condition.longer_than} in ${condition.window}`;
    case 'missed_schedule':
      return `Schedule is ${condition.grace} late`;
    case 'long_run':
      return `Run is ${condition.state} for ${condition.longer_than}`;
    case 'budget':
      return condition.percent_of_plan === undefined
        ? `More than ${condition.above ?? 0} ${UNITS[condition.of]} a ${condition.per}`
        : `More than ${condition.percent_of_plan} % of the plan's runs`;
  }
}

/** Where notices go, in one line. */
export const channelText = (channel: AlertChannel): string => {
  switch (channel.kind) {
    case 'mail':
      return `Mail to ${channel.to.join(', ')}`;
    case 'webhook':
      return channel.url;
    case 'connector':
      return channel.action;
  }
};

export const isMuted = ({ muted_until: until }: Pick<AlertView, 'muted_until'>, now: number): boolean =>
  until !== null && Date.parse(until) > now;
