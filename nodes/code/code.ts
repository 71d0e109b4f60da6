import { Script } from 'node:vm';
import { compileTemplate, type ConfigFinding, ExpressionError } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import { lineWithin } from '../../lib/sandbox';
import type { NodeContext, NodeRun, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { asOutput, done } from '../outcome';
import { anyValue, durationSchema, filledText, objectSchema } from '../schema';
import { runScript } from './run-script';
import { scriptTimeout } from './timeout';

/** A use of `steps`, with the step if its name is a literal. */
const USE_OF_STEPS = /\bsteps\b(?:\s*(?:\?\.|\.)\s*([A-Za-z_]\w*)|\s*(?:\?\.)?\s*\[\s*(["'`])([\w-]+)\2\s*\])?/g;

const mentions = (source: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(source);

/**
 * The variables of a script. Of the run it has only the parts that the source mentions, also in a comment or text: copying
 * the outputs of all steps could cost more than the script.
 */
export function scopeOf(source: string, input: Json, run: () => NodeRun): JsonObject {
  const scope: JsonObject = { input };
  if (!['trigger', 'steps', 'loop'].some((name) => mentions(source, name))) return scope;
  const { trigger, steps, loop } = run();
  if (mentions(source, 'trigger')) scope.trigger = trigger;
  if (mentions(source, 'steps')) scope.steps = outputsFor(source, steps);
  if (mentions(source, 'loop')) scope.loop = loop;
  return scope;
}

/** The outputs of the steps that are named; all of them where `steps` is used in any other way. */
function outputsFor(source: string, steps: JsonObject): JsonObject {
  const named = new Map<string, Json>();
  for (const [, afterDot, , inBrackets] of source.matchAll(USE_OF_STEPS)) {
    const id = afterDot ?? inBrackets;
    // `steps.hasOwnProperty` is a question about all of them.
    if (id === undefined || (!Object.hasOwn(steps, id) && id in Object.prototype)) return steps;
    if (Object.hasOwn(steps, id)) named.set(id, steps[id] as Json);
  }
  return Object.fromEntries(named);
}

const FILE = 'code.js';

/** Checks a source before a run. */
export function check({ source }: JsonObject): ConfigFinding[] {
  // A source that is too long is refused for its length.
  if (typeof source !== 'string' || source.length > MAX_SOURCE) return [];
  const text = constantOf(source);
  if (text === undefined) return [];
  if (text === null) return [WOVEN];
  const fault = syntaxFault(text);
  return fault === null ? [] : [{ kind: 'error', path: 'source', message: fault }];
}

const WOVEN: ConfigFinding = {
  kind: 'warning',
  path: 'source',
  message: 'the value of the expression becomes a part of the program, even when it comes from outside',
  hint: 'put the expression into "input" and write input in the source; for a literal {{ write \\{{',
};

/** The text of a template without expressions; null if it has some, undefined if its braces are invalid. */
function constantOf(source: string): string | null | undefined {
  try {
    const template = compileTemplate(source);
    return template.kind === 'constant' ? (template.value as string) : null;
  } catch (fault) {
    // Every string of the document has its braces checked.
    if (fault instanceof ExpressionError) return undefined;
    throw fault;
  }
}

/** The syntax error with its line, or null. Node's own engine parses the source, and does not run it. */
export function syntaxFault(source: string): string | null {
  try {
    void new Script(`(async function () {${source}\n})`, { filename: FILE });
    return null;
  } catch (fault) {
    // Nothing else is thrown here than errors of syntax, and of a depth that cannot be read.
    const { message, stack = '' } = fault as Error;
    // The two engines know different regular expressions; the one that runs it has the last word.
    if (message.startsWith('Invalid regular expression')) return null;
    const line = new RegExp(`^${FILE}:(\\d+)`).exec(stack)?.[1];
    return `is not valid JavaScript: ${message}${line === undefined ? '' : ` (line ${lineWithin(source, Number(line))})`}`;
  }
}

/** The input, validated by the schema. */
interface CodeInput {
  source: string;
  input?: Json;
  timeout?: string | number;
}

/** Runs the source in the sandbox. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { source, input = {}, timeout } = ctx.input as unknown as CodeInput;
  const timeoutMs = scriptTimeout(timeout);
  if (typeof timeoutMs !== 'number') return timeoutMs;
  const ran = await runScript(ctx, { source, globals: scopeOf(source, input, () => ctx.run()), timeoutMs });
  return ran.kind === 'value' ? done(asOutput(ran.value)) : ran;
}

/** Characters of a source. */
export const MAX_SOURCE = 65_536;

const source = filledText(
  'Body of a JavaScript function, which may use await. It can access input, trigger, steps and loop; its return value is the output.',
  'return { total: input.prices.reduce((sum, price) => sum + price, 0) }',
  { maxLength: MAX_SOURCE },
);

const input = anyValue(
  'Any value; available to the source as input.',
  { prices: '{{ trigger.body.prices }}' },
  { default: {} },
);

export const codeNode = defineNode({
  type: 'code',
  title: 'Code',
  description: 'Runs JavaScript on the data of the run, without network and file access.',
  category: 'Code',
  // Time and chance may give another value when it is computed again after a crash; but a reader of a value waits until
  // it is durable, so a lost value was never visible.
  effect: 'pure',
  input: objectSchema(
    {
      source,
      input,
      timeout: durationSchema('Time-out', 'Maximum duration. Default: 5 s; at most 5 m.', '2s'),
    },
    ['source'],
  ),
  output: {
    type: 'object',
    description: 'Return value of the source; a value that is not an object becomes `result`.',
  },
  tool: {
    name: 'code',
    description:
      'Runs the body of a JavaScript function (ES2023, no network, no modules, no timers) and returns what it returns. The value given as input is in the variable input.',
    parameters: objectSchema({ source, input }, ['source']),
  },
  check,
  run,
});
