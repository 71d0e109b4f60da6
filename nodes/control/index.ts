import { CONTROL_LIMITS, type ControlName } from '../../dsl';
import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';
import type { ControlManifest } from './manifest';

export type { ControlManifest } from './manifest';

const CATEGORY = 'Control';
const NOTHING = objectSchema({});

const steps = (title: string, description: string, least = 1): JsonSchema => ({
  type: 'array',
  title,
  description,
  items: { type: 'object' },
  minItems: least,
  'x-steps': true,
});

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
  description: 'Goes on with the first case whose condition holds.',
  category: CATEGORY,
  aliases: ['condition', 'if', 'switch'],
  input: NOTHING,
  step: objectSchema(
    {
      cases: {
        type: 'array',
        title: 'Cases',
        description: 'Looked at in their order.',
        minItems: 1,
        maxItems: CONTROL_LIMITS.cases,
        items: objectSchema(
          {
            when: condition('When', 'An expression that holds or does not.', '{{ steps.fetch.body.total > 1000 }}'),
            steps: steps('Steps', 'Run when the condition holds.'),
          },
          ['when', 'steps'],
        ),
      },
      else: steps('Else', 'Run when no condition holds.', 0),
    },
    ['cases'],
  ),
  output: objectSchema(
    {
      case: {
        title: 'Case',
        description: 'The number of the case, from 0, or `else`.',
        anyOf: [{ type: 'integer', minimum: 0 }, { const: 'else' }],
      },
    },
    ['case'],
  ),
};

const parallel: ControlManifest = {
  type: 'parallel',
  title: 'Parallel',
  description: 'Runs branches at the same time.',
  category: CATEGORY,
  aliases: [],
  input: NOTHING,
  step: objectSchema(
    {
      branches: {
        type: 'array',
        title: 'Branches',
        description: 'Each a list of steps, under a name.',
        minItems: 2,
        maxItems: CONTROL_LIMITS.branches,
        items: objectSchema(
          {
            id: { type: 'string', title: 'Name', description: 'The key of its result.', examples: ['stock'] },
            steps: steps('Steps', 'Run one after the other.'),
          },
          ['id', 'steps'],
        ),
      },
      wait: {
        title: 'Wait for',
        description: 'How many branches must come to an end; the rest are cancelled.',
        anyOf: [
          { enum: ['all', 'any'], 'x-enum-titles': ['All branches', 'The first branch'] },
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
        description: 'The output of the last step of each branch that came to its end, by name.',
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
      items: {
        title: 'Items',
        description: `A list, or an object, whose members become {key, value}; at most ${CONTROL_LIMITS.items}.`,
        examples: ['{{ steps.fetch.body.orders }}'],
        'x-expression': true,
      },
      concurrency: {
        type: 'integer',
        title: 'At the same time',
        description: 'How many items are worked on at once.',
        minimum: 1,
        maximum: CONTROL_LIMITS.concurrency,
        default: CONTROL_LIMITS.defaultConcurrency,
      },
    },
    ['items'],
  ),
  step: objectSchema({ steps: steps('Steps', 'Run for each item.') }, ['steps']),
  output: objectSchema(
    {
      results: { type: 'array', title: 'Results', description: 'The output of the last step of each item.' },
      count: { type: 'integer', title: 'Count', description: 'How many items there were.', minimum: 0 },
    },
    ['results', 'count'],
  ),
};

const whileLoop: ControlManifest = {
  type: 'while',
  title: 'While',
  description: 'Runs steps again as long as a condition holds: `loop.index`.',
  category: CATEGORY,
  aliases: [],
  input: objectSchema(
    {
      condition: condition(
        'While',
        'Looked at before each turn; sees what the turn before has done.',
        '{{ steps.page.body.next != null }}',
      ),
      max_iterations: {
        type: 'integer',
        title: 'Most turns',
        description: 'With more the step fails.',
        minimum: 1,
        maximum: CONTROL_LIMITS.iterations,
        default: CONTROL_LIMITS.defaultIterations,
      },
    },
    ['condition'],
  ),
  step: objectSchema({ steps: steps('Steps', 'Run in each turn.') }, ['steps']),
  output: objectSchema(
    { iterations: { type: 'integer', title: 'Turns', description: 'How many turns there were.', minimum: 0 } },
    ['iterations'],
  ),
};

const tryBlock: ControlManifest = {
  type: 'try',
  title: 'Try',
  description: 'Goes on when steps fail, and tidies up whatever happens.',
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
      failed: { type: 'boolean', title: 'Failed', description: 'Whether a step has failed.' },
      error: {
        type: ['object', 'null'],
        title: 'Error',
        description: 'What went wrong: step_id, type, code, message; null when nothing did.',
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
