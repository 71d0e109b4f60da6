import { CONTROL_LIMITS, type ControlName } from '../../dsl';
import type { JsonSchema } from '../contract';
import { anyValue, flag, integer, list, objectSchema, text } from '../schema';
import type { ControlManifest } from './manifest';

export type { ControlManifest } from './manifest';

const CATEGORY = 'Control';
const NOTHING = objectSchema({});

const steps = (title: string, description: string, least = 1): JsonSchema =>
  list({ type: 'object' }, description, { title, minItems: least, 'x-steps': true });

const condition = (title: string, description: string, example: string): JsonSchema => ({
  type: ['string', 'boolean'],
  title,
  description,
  examples: [example],
  'x-expression': true,
});

const branch: ControlManifest = {
  type: 'branch',
  title: 'Branch',
  description: 'Runs the steps of the first case whose condition is true.',
  category: CATEGORY,
  aliases: ['condition', 'if', 'switch'],
  input: NOTHING,
  step: objectSchema(
    {
      cases: list(
        objectSchema(
          {
            when: condition('When', 'An expression that holds or does not.', '{{ steps.fetch.body.total > 1000 }}'),
            steps: steps('Steps', 'Run when the condition holds.'),
          },
          ['when', 'steps'],
        ),
        'Evaluated in order.',
        { minItems: 1, maxItems: CONTROL_LIMITS.cases },
      ),
      else: steps('Else', 'Run when no condition holds.', 0),
    },
    ['cases'],
  ),
  output: objectSchema(
    {
      case: {
        title: 'Case',
        description: 'Number of the case, from 0, or `else`.',
        anyOf: [{ type: 'integer', minimum: 0 }, { const: 'else' }],
      },
    },
    ['case'],
  ),
};

const parallel: ControlManifest = {
  type: 'parallel',
  title: 'Parallel',
  description: 'Runs branches in parallel.',
  category: CATEGORY,
  aliases: [],
  input: NOTHING,
  step: objectSchema(
    {
      branches: list(
        objectSchema(
          {
            id: text('Key of its result.', 'stock', { title: 'Name' }),
            steps: steps('Steps', 'Run one after the other.'),
          },
          ['id', 'steps'],
        ),
        'Lists of steps, each with a name.',
        { minItems: 2, maxItems: CONTROL_LIMITS.branches },
      ),
      wait: {
        title: 'Wait for',
        description: 'How many branches must finish; the others are cancelled.',
        anyOf: [
          { enum: ['all', 'any'], 'x-enum-titles': ['All branches', 'First branch'] },
          { type: 'integer', minimum: 1, maximum: CONTROL_LIMITS.branches },
        ],
        default: 'all',
        examples: ['any', 2],
      },
    },
    ['branches'],
  ),
  output: objectSchema(
    {
      branches: {
        type: 'object',
        title: 'Branches',
        description: 'Output of the last step of each finished branch, by name.',
      },
    },
    ['branches'],
  ),
};

const foreach: ControlManifest = {
  type: 'foreach',
  title: 'For each',
  description: 'Runs steps for every item of a list: `loop.item`, `loop.index`.',
  category: CATEGORY,
  aliases: [],
  input: objectSchema(
    {
      items: anyValue(
        `A list, or an object, whose members become {key, value}; at most ${CONTROL_LIMITS.items}.`,
        '{{ steps.fetch.body.orders }}',
        { 'x-expression': true },
      ),
      concurrency: integer('Number of items processed at once.', {
        minimum: 1,
        maximum: CONTROL_LIMITS.concurrency,
        default: CONTROL_LIMITS.defaultConcurrency,
      }),
    },
    ['items'],
  ),
  step: objectSchema({ steps: steps('Steps', 'Run for each item.') }, ['steps']),
  output: objectSchema(
    {
      results: { type: 'array', title: 'Results', description: 'Output of the last step for each item.' },
      count: integer('Number of items.', { minimum: 0 }),
    },
    ['results', 'count'],
  ),
};

const whileLoop: ControlManifest = {
  type: 'while',
  title: 'While',
  description: 'Repeats steps while a condition is true: `loop.index`.',
  category: CATEGORY,
  aliases: [],
  input: objectSchema(
    {
      condition: condition(
        'While',
        'Looked at before each turn; sees what the turn before has done.',
        '{{ steps.page.body.next != null }}',
      ),
      max_iterations: integer('Maximum number of iterations; with more the step fails.', {
        title: 'Maximum turns',
        minimum: 1,
        maximum: CONTROL_LIMITS.iterations,
        default: CONTROL_LIMITS.defaultIterations,
      }),
    },
    ['condition'],
  ),
  step: objectSchema({ steps: steps('Steps', 'Run in each turn.') }, ['steps']),
  output: objectSchema({ iterations: integer('Number of iterations.', { title: 'Turns', minimum: 0 }) }, [
    'iterations',
  ]),
};

const tryBlock: ControlManifest = {
  type: 'try',
  title: 'Try',
  description: 'Handles failures of steps and runs cleanup steps in any case.',
  category: CATEGORY,
  aliases: [],
  input: NOTHING,
  step: objectSchema(
    {
      steps: steps('Steps', 'What is tried.'),
      catch: steps('Catch', 'Run when a step has failed, with `error`.', 0),
      finally: steps('Finally', 'Run at the end, whatever happened.', 0),
    },
    ['steps'],
  ),
  output: objectSchema(
    {
      failed: flag('Whether a step failed.'),
      error: {
        type: ['object', 'null'],
        title: 'Error',
        description: 'The error: step_id, type, code, message; null if there was none.',
      },
    },
    ['failed', 'error'],
  ),
};

/** Every type of steps that hold others, by name. */
export const controls: Readonly<Record<ControlName, ControlManifest>> = {
  branch,
  parallel,
  foreach,
  while: whileLoop,
  try: tryBlock,
};
