import { defineNode } from '../../contract/define';
import { BASE, FILTER, MIN_SCORE, RERANK, TOP_K } from '../../knowledge/fields';
import { durationSchema, exactlyOneOf, objectSchema } from '../../schema';
import { ANSWERED_BY, answerSchemaField, MODEL_FIELDS, PROMPT_FIELDS, SAMPLING_FIELDS, USAGE_FIELDS } from '../fields';
import { SKILLS_FIELD } from '../skills/fields';
import { check } from './check';
import { DEFAULT_MAX_TURNS } from './limits';
import { run } from './run';

const approval = {
  title: 'Approval',
  description: 'A person must say yes before each use; true asks everyone who may, without an end.',
  anyOf: [
    { type: 'boolean' },
    objectSchema({
      message: {
        type: 'string',
        title: 'Question',
        description: 'Instead of one with the tool and its input.',
        minLength: 1,
      },
      approvers: {
        type: 'array',
        title: 'Approvers',
        description: 'The only ones who may decide: user ids, e-mail addresses or roles.',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
      },
      timeout: durationSchema('Time-out', 'How long to wait for an answer.', '1d'),
      on_timeout: {
        type: 'string',
        title: 'On time-out',
        description: 'What the time-out counts as; fail ends the step.',
        enum: ['approve', 'reject', 'fail'],
        default: 'reject',
      },
    }),
  ],
};

const tool = objectSchema(
  {
    type: {
      type: 'string',
      title: 'Type',
      description:
        'A step type, "workflow", "knowledge_base", or "mcp" for a server that speaks the Model Context Protocol.',
      minLength: 1,
      examples: ['http_request', 'workflow', 'mcp'],
    },
    name: {
      type: 'string',
      title: 'Name',
      description: 'What the model knows the tool by; of a server, what its tools begin with.',
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$',
      examples: ['find_order'],
    },
    description: {
      type: 'string',
      title: 'Description',
      description: 'What the tool does and when to use it: the model goes by it.',
      maxLength: 4_000,
    },
    config: {
      type: 'object',
      title: 'Fixed configuration',
      description: 'Of a step type: fixed members that the model neither chooses nor sees, such as keys.',
      examples: [{ method: 'GET' }],
    },
    approval,
    workflow: { type: 'string', title: 'Workflow', description: 'Id or name of the workflow.', minLength: 1 },
    input_schema: {
      type: 'object',
      title: 'Input of the workflow',
      description: 'What the model gives it, as JSON Schema of an object; without it, anything.',
    },
    knowledge_base: BASE,
    top_k: TOP_K,
    min_score: MIN_SCORE,
    filter: FILTER,
    rerank: RERANK,
    url: { type: 'string', title: 'URL', description: 'Of the server, streamable HTTP.', minLength: 1 },
    headers: {
      type: 'object',
      title: 'Headers',
      description: 'Sent to the server with each request, such as its key.',
      additionalProperties: { type: 'string' },
      examples: [{ authorization: 'Bearer {{ secret.MCP_KEY }}' }],
    },
    allow: {
      type: 'array',
      title: 'Allowed tools',
      description: "The server's own names of the tools that may be used; without it, all.",
      items: { type: 'string', minLength: 1 },
    },
  },
  ['type'],
);

const SOURCE = objectSchema(
  {
    ref: { type: 'integer', title: 'Number', description: 'Of its mark: 3 for [3].' },
    document_id: { type: 'string', title: 'Document', description: 'Its id.' },
    document_name: { type: 'string', title: 'Name', description: 'Of the document.' },
    chunk_id: { type: 'string', title: 'Part', description: 'Id of the part of the document.' },
    page: { type: ['integer', 'null'], title: 'Page', description: 'From 1, where there are pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'The headings above.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'Where the document is from, if it is from the web.' },
    cited: { type: 'boolean', title: 'Cited', description: 'Whether the answer has its mark.' },
  },
  ['ref', 'document_id', 'document_name', 'chunk_id', 'page', 'heading', 'url', 'cited'],
);

export const agentNode = defineNode({
  type: 'agent',
  title: 'Agent',
  description:
    'A language model that works with tools until it has an answer. Each of its turns, and each use of a tool, is recorded once: after a crash, a wait or a failure it goes on where it was.',
  category: 'AI',
  effect: 'write',
  onInterrupted: 'retry',
  timeoutMs: 15 * 60_000,
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      ...PROMPT_FIELDS,
      instructions: {
        type: 'string',
        title: 'Instructions',
        description: 'How the agent goes about its work, beside `system`.',
        examples: ['Look the order up before you answer.'],
      },
      tools: {
        type: 'array',
        title: 'Tools',
        description: 'What the agent may use. Listing a tool is consent to its use.',
        items: tool,
        maxItems: 50,
        default: [],
        examples: [[{ type: 'http_request', config: { method: 'GET' } }]],
      },
      skills: SKILLS_FIELD,
      ...SAMPLING_FIELDS,
      max_turns: {
        type: 'integer',
        title: 'Most turns',
        description: 'Answers of the model, uses of tools between them not counted.',
        minimum: 1,
        maximum: 100,
        default: DEFAULT_MAX_TURNS,
      },
      max_tokens_total: {
        type: 'integer',
        title: 'Most tokens in all',
        description: 'Input and output of all turns; judged before each turn.',
        minimum: 1,
      },
      max_cost_usd: {
        type: 'number',
        title: 'Most cost',
        description:
          'In USD by list price, of all turns; judged before each turn. The price of the model must be known.',
        exclusiveMinimum: 0,
      },
      output_schema: answerSchemaField(
        'Schema of the answer',
        'With it the last answer is data, checked; a wrong one is sent back once, with its faults.',
      ),
    },
    [],
    exactlyOneOf('prompt', 'messages'),
  ),
  output: objectSchema(
    {
      text: { type: 'string', title: 'Text', description: 'The last answer as it was written.' },
      data: { title: 'Data', description: 'The last answer as data, when a schema was given.' },
      finish_reason: { type: 'string', title: 'Why it ended', description: 'stop, length, or another word.' },
      turns: { type: 'integer', title: 'Turns', description: 'Answers of the model.' },
      tool_calls: {
        type: 'array',
        title: 'Uses of tools',
        description: 'In order.',
        items: objectSchema(
          {
            name: { type: 'string', title: 'Name', description: 'Of the tool.' },
            input: { title: 'Input', description: 'What the model gave.' },
            output: { title: 'Output', description: 'The result that the model got.' },
            error: { type: 'object', title: 'Error', description: 'Code and message, instead of an output.' },
          },
          ['name', 'input'],
        ),
      },
      citations: {
        type: 'array',
        title: 'Sources',
        description: 'What was found in knowledge bases, when there are any among the tools.',
        items: SOURCE,
      },
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['text', 'finish_reason', 'turns', 'tool_calls', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
  check,
  run,
});
