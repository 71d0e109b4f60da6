import { isObject, type Json, type JsonObject } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import type { ConfigFinding } from '../../dsl';
import type { NodeContext, OnTimeout, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { invalidConfig } from '../outcome';
import { choice, durationSchema, flag, objectSchema, outputOf, text } from '../schema';
import { deadlineOf, INVALID_TIMEOUT } from './deadline';

/** As many controls as a page has. */
const MAX_FIELDS = 40;

/** The input, validated by the schema. */
interface FormInput {
  title?: string;
  description?: string;
  fields: Json;
  submit?: string;
  access?: 'page' | 'link';
  on_timeout?: 'fail' | 'continue';
}

/** Returns the form to wait for; the values arrive as a message and become the output. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { title = '', description = '', fields, submit = '', ...rest } = ctx.input as unknown as FormInput;
  const { access = 'page', on_timeout = 'fail' } = rest;
  const fault = faultOfFields(fields);
  if (fault !== null) return invalidConfig(`'fields' ${fault}`);
  const until = deadlineOf(ctx);
  if (until === 'invalid') return invalidConfig(INVALID_TIMEOUT);
  const onTimeout: OnTimeout =
    on_timeout === 'continue'
      ? { kind: 'complete', output: { timed_out: true } }
      : { kind: 'fail', error: { code: 'timed_out', message: 'the form was not filled in in time' } };
  return { kind: 'wait', wait: { kind: 'form', title, description, submit, access, form: fields, until, onTimeout } };
}

/** Why fields cannot be shown as a page; null for those that can. */
function faultOfFields(fields: Json): string | null {
  if (!isObject(fields) || !isObject(fields.properties))
    return 'must be a JSON Schema with properties, such as {"properties": {"email": {"type": "string"}}}';
  if (Object.keys(fields.properties).length > MAX_FIELDS) return `has at most ${MAX_FIELDS} properties`;
  const schema = compileSchema(fields, 'ignore');
  if (schema.kind !== 'refused') return null;
  const [fault] = schema.faults;
  return `is not a JSON Schema${fault === undefined ? '' : `: ${fault.path} ${fault.message}`}`;
}

/** Fields with expressions are checked when the step runs. */
function check({ fields }: JsonObject): ConfigFinding[] {
  if (fields === undefined || JSON.stringify(fields).includes('{{')) return [];
  const fault = faultOfFields(fields);
  return fault === null ? [] : [{ kind: 'error', path: 'fields', message: fault }];
}

export const waitForFormNode = defineNode({
  type: 'wait_for_form',
  title: 'Wait for form',
  description:
    'Pauses the run until a person fills in a form: the next page of the form that started the run, or a page that is opened by a link. The output has the values.',
  category: 'Flow',
  effect: 'pure',
  input: objectSchema(
    {
      title: text('Title of the page. Default: the name of the workflow.', 'Where shall we deliver?', {
        maxLength: 200,
      }),
      description: text('Text above the fields.', 'We ship within two days.', { maxLength: 2_000 }),
      fields: {
        title: 'Fields',
        description: 'Fields of the page, as JSON Schema: like the inputs of a workflow that a form starts.',
        type: 'object',
        examples: [{ required: ['street'], properties: { street: { type: 'string', title: 'Street' } } }],
      },
      submit: text('Text of the button. Default: Continue.', 'Order', { maxLength: 60 }),
      access: choice(
        ['page', 'link'],
        '`page`: the person who sent the form before sees it as the next page, and the link of the step opens it, too. `link`: only the link opens it.',
        { default: 'page' },
      ),
      timeout: durationSchema('Time-out', 'How long to wait. Default: no limit.', '7d'),
      on_timeout: choice(
        ['fail', 'continue'],
        '`fail` fails the step; `continue` completes it with `timed_out: true`.',
        { default: 'fail' },
      ),
    },
    ['fields'],
  ),
  output: {
    ...outputOf({ timed_out: flag('True if the form was not filled in in time.') }),
    description: 'Values of the form, by field. Fields that were left empty are absent.',
  },
  check,
  run,
});
