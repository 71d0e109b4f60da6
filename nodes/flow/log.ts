import type { Json } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done } from '../outcome';
import { anyValue, choice, objectSchema, text } from '../schema';

/** The input, validated by the schema. */
interface LogInput {
  message: Json;
  level?: 'debug' | 'info' | 'warn' | 'error';
  data?: Json;
}

/** Writes one line. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { message, level = 'info', data } = ctx.input as unknown as LogInput;
  const text = ctx.redact(typeof message === 'string' ? message : JSON.stringify(message));
  ctx.log(level, text, data);
  return done({ level, message: text });
}

export const logNode = defineNode({
  type: 'log',
  title: 'Log',
  description: "Writes a line to the run's log. Secrets are masked.",
  category: 'Flow',
  // A line written again after a crash is no harm, so it need not wait for the journal.
  effect: 'pure',
  input: objectSchema(
    {
      message: anyValue('Text; any other value is written as JSON.', 'Order {{ trigger.body.id }} came in'),
      level: choice(['debug', 'info', 'warn', 'error'], 'Severity.', { default: 'info' }),
      data: anyValue('Additional data to record.'),
    },
    ['message'],
  ),
  output: objectSchema(
    {
      level: text('Level of the line.'),
      message: text('Message as written, masked.'),
    },
    ['level', 'message'],
  ),
  run,
});
