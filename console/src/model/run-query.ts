/** A word that the query line offers, and what it puts into the text. */
interface Completion {
  readonly label: string;
  readonly insert: string;
  readonly hint?: string;
}

export interface Completions {
  /** The part of the text that a completion replaces. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

/** The fields of the list filter (docs/api.md, "Queries"), with the values that have a closed list. */
const FIELDS: Readonly<Record<string, { readonly hint: string; readonly values?: readonly string[] }>> = {
  ExecutionStatus: { hint: 'status', values: ['"Running"', '"Completed"', '"Failed"', '"Cancelled"', '"TimedOut"'] },
  WorkflowType: { hint: "the workflow's name or id" },
  StartTime: { hint: 'when it started', values: ['now() - 1h', 'now() - 1d', 'now() - 7d'] },
  CloseTime: { hint: 'when it ended', values: ['now() - 1h', 'now() - 1d', 'now() - 7d'] },
  ExecutionDuration: { hint: 'of ended runs', values: ['1s', '90s', '10m'] },
  TriggerType: {
    hint: 'what started it',
    values: ['"http"', '"manual"', '"api"', '"schedule"', '"chat"', '"retry"', '"sub_workflow"'],
  },
  WaitingFor: {
    hint: 'why it waits',
    values: [
      '"approval"',
      '"signal"',
      '"timer"',
      '"retry"',
      '"child"',
      '"slot"',
      '"capacity"',
      '"paused"',
      '"throttle"',
      '"debounce"',
      '"batch"',
    ],
  },
  WorkflowId: { hint: "the run's id" },
  ParentWorkflowId: { hint: "the parent run's id" },
};
const COMPARISONS = ['=', '!=', 'IN (', '>', '<', 'IS NOT NULL', 'IS NULL', 'STARTS_WITH'];
const CONNECTIVES = ['AND', 'OR', 'ORDER BY'];
const MAX_ITEMS = 9;

const fieldNamed = (word: string): string | undefined =>
  Object.keys(FIELDS).find((name) => name.toLowerCase() === word.toLowerCase());

/** What may follow at the caret: a field, a comparison, a value of the field before it, or a connective. */
export function completionsAt(text: string, caret: number): Completions {
  const before = text.slice(0, caret);
  const word = /["'\w()-]*$/.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  const words = before.slice(0, from).trim().split(/\s+/).filter(Boolean);
  const items = candidates(words).filter(({ label }) => label.toLowerCase().startsWith(word.toLowerCase()));
  return { from, to: caret, items: items.slice(0, MAX_ITEMS) };
}

function candidates(words: readonly string[]): Completion[] {
  const last = words.at(-1) ?? '';
  if (last === '' || /^(AND|OR|NOT|BY)$/i.test(last) || last.endsWith('(')) {
    const field = last.endsWith('(') ? fieldNamed(words.at(-3) ?? '') : undefined;
    return field === undefined ? fieldItems() : valueItems(field);
  }
  if (fieldNamed(last) !== undefined) {
    if (/^BY$/i.test(words.at(-2) ?? '')) return plain(['ASC', 'DESC']);
    return plain(COMPARISONS);
  }
  const field = fieldNamed(words.at(-2) ?? '');
  if (field !== undefined && /^(=|!=|<>|<|<=|>|>=)$/.test(last)) return valueItems(field);
  return plain(CONNECTIVES);
}

const fieldItems = (): Completion[] =>
  Object.entries(FIELDS).map(([name, { hint }]) => ({ label: name, insert: `${name} `, hint }));

const valueItems = (field: string): Completion[] =>
  (FIELDS[field]?.values ?? []).map((value) => ({ label: value, insert: `${value} ` }));

const plain = (words: readonly string[]): Completion[] => words.map((word) => ({ label: word, insert: `${word} ` }));

/** The text with a completion in place, and where the caret then stands. */
export function complete(text: string, { from, to }: Completions, item: Completion): { text: string; caret: number } {
  return { text: text.slice(0, from) + item.insert + text.slice(to), caret: from + item.insert.length };
}

/** Views of the list that every workspace has. */
export const RUN_VIEWS = [
  { label: 'All', query: '' },
  { label: 'Running', query: 'ExecutionStatus = "Running"' },
  { label: 'Waiting', query: 'ExecutionStatus = "Running" AND WaitingFor IS NOT NULL' },
  { label: 'Paused', query: 'WaitingFor = "paused"' },
  { label: 'Failed', query: 'ExecutionStatus = "Failed"' },
  { label: 'Failed today', query: 'ExecutionStatus = "Failed" AND StartTime > now() - 1d' },
] as const;

/** The query of the runs with a label, within another one where that has conditions joined by AND alone. */
export function queryOfLabel(name: string, value: string, within = ''): string {
  const label = `Label.${name} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;
  if (within === '' || /\b(OR|ORDER)\b/i.test(within) || within.includes(label)) return label;
  return `${within} AND ${label}`;
}

/** The query of certain runs, for an action on a selection. */
export const queryOfRuns = (ids: readonly string[]): string =>
  `WorkflowId IN (${ids.map((id) => `"${id}"`).join(', ')})`;

/** The query of the runs of a workflow. */
export const queryOfWorkflow = (workflowId: string): string => `WorkflowType = "${workflowId}"`;
