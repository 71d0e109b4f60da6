/** A field of a metric in the form for a new evaluation. */
interface MetricField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'code' | 'number' | 'json';
  readonly optional?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
}

interface MetricKind {
  readonly type: string;
  readonly label: string;
  /** What its score says. */
  readonly about: string;
  readonly fields: readonly MetricField[];
}

/** A metric as it is written: texts by the names of the fields. */
export interface MetricDraft {
  readonly type: string;
  readonly values: Readonly<Record<string, string>>;
}

const COMPARED: readonly MetricField[] = [
  { name: 'value', label: 'Compare', kind: 'code', optional: true, placeholder: 'output' },
  { name: 'expected', label: 'With', kind: 'code', optional: true, placeholder: 'expected' },
];

/** The metrics that the form offers; docs/evaluations.md describes them. */
export const METRIC_KINDS: readonly MetricKind[] = [
  { type: 'equals', label: 'Equal', about: '1 for equal JSON.', fields: COMPARED },
  {
    type: 'contains',
    label: 'Contains',
    about: 'The share of the expected texts that the output contains.',
    fields: COMPARED,
  },
  {
    type: 'number',
    label: 'Number',
    about: '1 within a tolerance of the expected number.',
    fields: [...COMPARED, { name: 'tolerance', label: 'Tolerance', kind: 'number', optional: true, placeholder: '0' }],
  },
  {
    type: 'subset',
    label: 'Subset',
    about: 'The share of the expected members that the output has.',
    fields: COMPARED,
  },
  {
    type: 'schema',
    label: 'JSON Schema',
    about: '1 when the output matches a schema.',
    fields: [{ name: 'schema', label: 'Schema', kind: 'json', placeholder: '{ "type": "object" }' }],
  },
  {
    type: 'expression',
    label: 'Expression',
    about: 'True, false, or a number from 0 to 1.',
    fields: [{ name: 'expression', label: 'Expression', kind: 'code', placeholder: 'length(output.answer) <= 200' }],
  },
  {
    type: 'code',
    label: 'Code',
    about: 'What a JavaScript function body returns.',
    fields: [
      { name: 'source', label: 'Source', kind: 'json', placeholder: 'return output.items.length === expected.count;' },
    ],
  },
  {
    type: 'judge',
    label: 'Model as judge',
    about: 'A language model gives a score by a rubric.',
    fields: [
      { name: 'rubric', label: 'Rubric', kind: 'json', placeholder: 'The reply is polite and answers the question.' },
      { name: 'provider', label: 'Provider', kind: 'text', optional: true, placeholder: 'openai' },
      { name: 'model', label: 'Model', kind: 'text', optional: true, placeholder: 'gpt-4o-mini' },
      { name: 'api_key', label: 'Key', kind: 'code', optional: true, placeholder: '{{ secret.OPENAI_KEY }}' },
    ],
  },
  {
    type: 'latency',
    label: 'Latency',
    about: '1 up to a duration of the run.',
    fields: [{ name: 'max_ms', label: 'At most, in ms', kind: 'number', placeholder: '2000' }],
  },
  {
    type: 'tokens',
    label: 'Tokens',
    about: '1 up to a number of tokens of the run.',
    fields: [{ name: 'max', label: 'At most', kind: 'number', placeholder: '1000' }],
  },
  {
    type: 'cost',
    label: 'Cost',
    about: '1 up to a cost of the run.',
    fields: [{ name: 'max_usd', label: 'At most, in USD', kind: 'number', placeholder: '0.01' }],
  },
];

export const kindOf = (type: string): MetricKind =>
  METRIC_KINDS.find((kind) => kind.type === type) ?? (METRIC_KINDS[0] as MetricKind);

/** Fields that every metric has, behind its own. */
export const COMMON_FIELDS: readonly MetricField[] = [
  { name: 'name', label: 'Name', kind: 'text', optional: true, hint: 'Its type unless given.' },
  { name: 'threshold', label: 'Passes from', kind: 'number', optional: true, hint: 'A score from 0 to 1.' },
];

/** The metric as the API takes it. Fields that are empty are left out. @throws Error naming the field */
export function metricOf({ type, values }: MetricDraft): Record<string, unknown> {
  const fields = [...COMMON_FIELDS, ...kindOf(type).fields];
  const given = fields.flatMap(({ name, label, kind, optional }) => {
    const text = (values[name] ?? '').trim();
    if (text !== '') return [[name, valueOf(text, name, label, kind)] as const];
    if (optional) return [];
    throw new Error(`${kindOf(type).label}: ${label} is missing`);
  });
  return { type, ...Object.fromEntries(given) };
}

function valueOf(text: string, name: string, label: string, kind: MetricField['kind']): unknown {
  if (kind === 'number') {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
    throw new Error(`${label} must be a number`);
  }
  if (name !== 'schema') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`${label} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}
