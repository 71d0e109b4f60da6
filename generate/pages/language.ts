import { CONTROL_LIMITS, LIMITS, POLLED_TRIGGERS, TRIGGER_TYPES } from '../../dsl';
import { FUNCTIONS } from '../../dsl/expression/functions';
import { controls } from '../../nodes/control';
import { namedSchemas } from '../../lib/schema';
import { anchor, code, GENERATED_NOTICE, memberRows, oneLine, table, words } from './markdown';

const ABOUT = `# Language reference

Every key of a workflow document, every type of trigger, every step that holds others, every function: made of what checks
documents. What they are for, with examples: [workflows.md](../workflows.md), [expressions.md](../expressions.md),
[triggers.md](../triggers.md); the steps that do something: [nodes.md](nodes.md).

A star marks what must be there. Durations are \`500ms\`, \`30s\`, \`1h30m\`, \`7d\`, \`2w\`, or a number of seconds. Any other key is
refused, but for \`ui\`, \`position\`, \`notes\` and those that begin with \`x_\`, which are kept and not read.`;

/** In the order in which a reader meets them. */
const DOCUMENTS = [
  'WorkflowDocument',
  'StepDocument',
  'RetryDocument',
  'TriggerDocument',
  'ConcurrencyDocument',
  'ThrottleDocument',
  'RateLimitDocument',
  'CacheDocument',
  'CaseDocument',
  'BranchDocument',
];

const SETTINGS: Readonly<Record<string, string>> = {
  text: 'text',
  duration: 'duration',
  interval: 'duration, from 1 s',
  poll: 'duration, from 10 s',
  'slow poll': 'duration, from 30 s',
  cron: 'cron expression',
  zone: 'time zone, such as `Europe/Vienna`',
  url: 'address, http or https',
  port: 'port, 1 to 65535',
  flag: 'true or false',
  texts: 'list of texts',
  map: 'values by name',
  signal: 'name of a signal',
  signature: '[how requests are signed](../webhooks.md#signatures)',
  expression: 'one expression over `trigger`',
  prose: 'text of several lines',
  'output text': 'text of several lines; may name outputs of the run: `{{ output.ticket }}`',
  redirect: 'address, https, or http to localhost',
};

/** The page about the language. */
export function languagePage(): string {
  const language = namedSchemas();
  const title = (name: string): string => name.replace('Document', '').toLowerCase();
  const headings = new Map(
    DOCUMENTS.map((name) => [name, name === 'WorkflowDocument' ? 'Document' : capital(title(name))]),
  );
  const named = (name: string): string => {
    const heading = headings.get(name);
    if (heading !== undefined) return `[${title(name)}](#${anchor(heading)})`;
    return name === 'DurationText' ? 'duration' : words(language[name] ?? {});
  };
  const documents = DOCUMENTS.map((name) => {
    const schema = language[name];
    if (schema === undefined) throw new Error(`The language has no ${name}`);
    return `## ${headings.get(name)}\n\n${oneLine(schema.description)}\n\n${table(['key', 'type', ''], memberRows(schema, named))}`;
  });
  return `${[ABOUT, GENERATED_NOTICE, ...documents, triggersText(), controlsText(), functionsText(), limitsText()].join('\n\n')}\n`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function triggersText(): string {
  const rows = [...TRIGGER_TYPES].map(([name, { settings, required, oneOf = [], secrets = [] }]) => {
    const described = Object.entries(settings).map(([key, setting]) => {
      const type = typeof setting === 'string' ? (SETTINGS[setting] ?? setting) : setting.map(code).join(', ');
      const notes = [type, ...(secrets.includes(key) ? ['may hold `{{ secret.NAME }}`'] : [])];
      return `${code(key)}${required.includes(key) ? ' \\*' : ''} (${notes.join('; ')})`;
    });
    const either = oneOf.length === 0 ? '' : `; exactly one of ${oneOf.map(code).join(' and ')}`;
    return [code(name), POLLED_TRIGGERS.has(name) ? 'polled' : '', `${described.join(', ') || 'none'}${either}`];
  });
  return `## Types of triggers\n\n${table(['type', '', '`config`'], rows)}`;
}

function controlsText(): string {
  const sections = Object.values(controls).map(({ type, description, aliases, input, step, output }) => {
    const rows = [
      ...memberRows(step),
      ...memberRows(input).map(([name = '', ...rest]) => [`\`config.\`${name}`, ...rest]),
      ...memberRows(output).map(([name = '', ...rest]) => [`output ${name.replace(' \\*', '')}`, ...rest]),
    ];
    const also = aliases.length === 0 ? '' : ` Also: ${aliases.map(code).join(', ')}.`;
    return `### ${type}\n\n${description}${also}\n\n${table(['key', 'type', ''], rows)}`;
  });
  return `## Steps that hold others\n\n${sections.join('\n\n')}`;
}

function functionsText(): string {
  const rows = [...FUNCTIONS]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { min, max }]) => {
      const most = Number.isFinite(max) && max < 1_000 ? String(max) : 'any number';
      return [code(name), min === max ? String(min) : `${min} to ${most}`];
    });
  return `## Functions\n\nWhat each does: [expressions.md](../expressions.md#functions).\n\n${table(['function', 'arguments'], rows)}`;
}

function limitsText(): string {
  const rows = [
    ['steps of a document, nested ones counted', LIMITS.steps],
    ['lists of steps inside of each other', LIMITS.depth],
    ['levels of a value', LIMITS.jsonDepth],
    ['values of a document', LIMITS.values],
    ['expressions of a document', LIMITS.expressions],
    ['expressions of one step', LIMITS.stepExpressions],
    ['characters of the expressions of a document', LIMITS.expressionText],
    ['characters of the expressions of one step', LIMITS.stepExpressionText],
    ['cases of a `branch`', CONTROL_LIMITS.cases],
    ['branches of a `parallel`', CONTROL_LIMITS.branches],
    ['items of a `foreach`', CONTROL_LIMITS.items],
    ['items of a `foreach` at a time', CONTROL_LIMITS.concurrency],
    ['turns of a `while`', CONTROL_LIMITS.iterations],
  ] as const;
  return `## Limits\n\n${table(
    ['of', 'at most'],
    rows.map(([what, most]) => [what, most.toLocaleString('en')]),
  )}`;
}
