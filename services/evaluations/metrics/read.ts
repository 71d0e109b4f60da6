import { compileSource, ExpressionError, templateRefs } from '../../../dsl';
import { AppError, type ErrorDetail, summaryOf } from '../../../lib/errors';
import { isObject, type JsonObject, jsonSize } from '../../../lib/json';
import { compileSchema } from '../../../lib/json-schema';
import { LLM_PROVIDERS } from '../../../lib/llm';
import { syntaxFault } from '../../../nodes/code/code';
import { Fields } from './fields';
import { METRIC_TYPES, type Metric, SUBJECT_NAMES } from './definition';

const NAME = /^[A-Za-z][\w-]{0,49}$/;
const MAX_SOURCE = 16_384;
const MAX_RUBRIC = 10_000;
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_JUDGE_TOKENS = 4_096;
const JUDGE_TOKENS = 512;
const SCRIPT_MS = 5_000;
const MAX_SCRIPT_MS = 30_000;
/** Scores of these are seldom exactly 1. */
const GRADED: ReadonlySet<string> = new Set(['expression', 'code', 'judge']);

/** The metrics that a client sent. @throws AppError invalid_request with every fault */
export function readMetrics(given: readonly unknown[]): Metric[] {
  const faults: ErrorDetail[] = [];
  const metrics = given.flatMap((each, index) => readMetric(each, `metrics[${index}]`, faults) ?? []);
  for (const [index, { name }] of metrics.entries()) {
    const first = metrics.findIndex((other) => other.name === name);
    if (first !== index && faults.length === 0)
      faults.push({
        path: `metrics[${index}].name`,
        message: `"${name}" is the name of metrics[${first}], too; give one of them another name`,
      });
  }
  if (faults.length === 0) return metrics;
  throw new AppError('invalid_request', `The metrics are not valid: ${summaryOf(faults)}`, { details: faults });
}

function readMetric(given: unknown, path: string, faults: ErrorDetail[]): Metric | null {
  const before = faults.length;
  const known = METRIC_TYPES.join(', ');
  if (!isObject(given) || !isType(given.type)) {
    faults.push({ path: `${path}.type`, message: `must be one of ${known}` });
    return null;
  }
  const { type } = given;
  const fields = new Fields(given, path, faults);
  const common = {
    name: fields.text('name', {
      fallback: type,
      pattern: NAME,
      says: 'must be a name of up to 50 letters, digits, - and _ that begins with a letter',
    }),
    threshold: fields.number('threshold', { fallback: GRADED.has(type) ? 0.5 : 1, min: 0, max: 1 }),
    value: expressionIn(fields, 'value', 'output'),
    expected: expressionIn(fields, 'expected', 'expected'),
  };
  const metric = { ...common, ...kindOf(type, fields) } as Metric;
  fields.refuseOthers(['type']);
  return faults.length > before ? null : metric;
}

const isType = (type: unknown): type is Metric['type'] => (METRIC_TYPES as readonly unknown[]).includes(type);

function kindOf(type: Metric['type'], fields: Fields): object {
  switch (type) {
    case 'equals':
    case 'subset':
      return { type };
    case 'contains':
      return { type, ignore_case: fields.flag('ignore_case') };
    case 'number':
      return {
        type,
        tolerance: fields.number('tolerance', { fallback: 0, min: 0 }),
        relative: fields.flag('relative'),
      };
    case 'schema':
      return { type, schema: schemaIn(fields) };
    case 'expression':
      return { type, expression: expressionIn(fields, 'expression', null) };
    case 'code':
      return {
        type,
        source: scriptIn(fields),
        timeout_ms: fields.number('timeout_ms', { fallback: SCRIPT_MS, min: 1, max: MAX_SCRIPT_MS }),
      };
    case 'judge':
      return {
        type,
        rubric: fields.text('rubric', { max: MAX_RUBRIC }),
        provider: fields.choice('provider', LLM_PROVIDERS),
        model: fields.optionalText('model', 200),
        api_key: fields.optionalText('api_key', 10_000),
        base_url: fields.optionalText('base_url', 2_000),
        max_tokens: fields.number('max_tokens', { fallback: JUDGE_TOKENS, min: 16, max: MAX_JUDGE_TOKENS }),
      };
    case 'latency':
      return { type, max_ms: fields.number('max_ms', { min: 1 }) };
    case 'tokens':
      return { type, max: fields.number('max', { min: 1 }) };
    case 'cost':
      return { type, max_usd: fields.number('max_usd', { min: 0, above: true }) };
  }
}

/** An expression over the names of SUBJECT_NAMES. */
function expressionIn(fields: Fields, name: string, fallback: string | null): string {
  const source = fields.text(name, { max: MAX_SOURCE, ...(fallback === null ? {} : { fallback }) });
  if (source === '') return source;
  try {
    const { roots } = templateRefs(compileSource(source));
    const unknown = roots.find((root) => !(SUBJECT_NAMES as readonly string[]).includes(root));
    if (unknown !== undefined)
      fields.fault(name, `uses ${unknown}, which is not there; there are ${SUBJECT_NAMES.join(', ')}`);
  } catch (fault) {
    if (!(fault instanceof ExpressionError)) throw fault;
    fields.fault(
      name,
      `is not an expression: ${fault.message}`,
      'write it without braces, such as output.total == expected.total',
    );
  }
  return source;
}

function scriptIn(fields: Fields): string {
  const source = fields.text('source', { max: MAX_SOURCE });
  const fault = syntaxFault(source);
  if (fault !== null) fields.fault('source', fault);
  return source;
}

function schemaIn(fields: Fields): JsonObject {
  const schema = fields.object('schema');
  if (jsonSize(schema, MAX_SCHEMA_CHARS) > MAX_SCHEMA_CHARS)
    fields.fault('schema', `has more than ${MAX_SCHEMA_CHARS} characters`);
  else {
    const compiled = compileSchema(schema);
    if (compiled.kind === 'refused')
      for (const { path, message } of compiled.faults) fields.fault(path === '' ? 'schema' : `schema.${path}`, message);
  }
  return schema;
}
