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
  description: 'A person must approve each use. True: any member may decide, without a time limit.',
  anyOf: [
    { type: 'boolean' },
    objectSchema({
      message: {
        type: 'string',
        title: 'Question',
        description: 'Message to the approvers. Default: the tool and its input.',
        minLength: 1,
      },
      approvers: {
        type: 'array',
        title: 'Approvers',
        description: 'The only people who may decide: user IDs, email addresses or roles.',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
      },
      timeout: durationSchema('Time-out', 'How long to wait for a decision.', '1d'),
      on_timeout: {
        type: 'string',
        title: 'On time-out',
        description: 'Decision after the timeout; fail ends the step.',
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
      description: 'Name of the tool for the model; of a server, the prefix of its tools.',
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$',
      examples: ['find_order'],
    },
    description: {
      type: 'string',
      title: 'Description',
      description: 'What the tool does and when to use it; the model decides by this text.',
      maxLength: 4_000,
    },
    config: {
      type: 'object',
      title: 'Fixed configuration',
      description: 'For a step type: fixed fields that the model neither chooses nor sees, such as keys.',
      examples: [{ method: 'GET' }],
    },
    approval,
    workflow: { type: 'string', title: 'Workflow', description: 'ID or name of the workflow.', minLength: 1 },
    input_schema: {
      type: 'object',
      title: 'Input of the workflow',
      description: 'JSON Schema of the object that the model passes. Default: any object.',
    },
    knowledge_base: BASE,
    top_k: TOP_K,
    min_score: MIN_SCORE,
    filter: FILTER,
    rerank: RERANK,
    url: { type: 'string', title: 'URL', description: 'URL of the server (streamable HTTP).', minLength: 1 },
    headers: {
      type: 'object',
      title: 'Headers',
      description: 'Headers of each request to the server, such as its key.',
      additionalProperties: { type: 'string' },
      examples: [{ authorization: 'Bearer {{ secret.MCP_KEY }}' }],
    },
    allow: {
      type: 'array',
      title: 'Allowed tools',
      description: "The server's names of the tools that may be used. Default: all.",
      items: { type: 'string', minLength: 1 },
    },
  },
  ['type'],
);

const SOURCE = objectSchema(
  {
    ref: { type: 'integer', title: 'Number', description: 'Number of the citation: 3 for [3].' },
    document_id: { type: 'string', title: 'Document', description: 'ID or name.' },
    document_name: { type: 'string', title: 'Name', description: 'Document.' },
    chunk_id: { type: 'string', title: 'Part', description: 'ID of the chunk.' },
    page: { type: ['integer', 'null'], title: 'Page', description: 'Page number from 1, if the document has pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'Headings above the text.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'URL of a document from the web.' },
    cited: { type: 'boolean', title: 'Cited', description: 'Whether the answer contains the citation.' },
  },
  ['ref', 'document_id', 'document_name', 'chunk_id', 'page', 'heading', 'url', 'cited'],
);

export const agentNode = defineNode({
  type: 'agent',
  title: 'Agent',
  description:
    'Runs a language model with tools until it has an answer. Each model response and each tool call is recorded once: after a crash, a wait or a failure the agent continues where it was.',
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
        description: 'Instructions for the agent, in addition to `system`.',
        examples: ['Look the order up before you answer.'],
      },
      tools: {
        type: 'array',
        title: 'Tools',
        description: 'Tools that the agent may use. Listing a tool permits its use.',
        items: tool,
        maxItems: 50,
        default: [],
        examples: [[{ type: 'http_request', config: { method: 'GET' } }]],
      },
      skills: SKILLS_FIELD,
      ...SAMPLING_FIELDS,
      max_turns: {
        type: 'integer',
        title: 'Maximum turns',
        description: 'Maximum number of model responses; tool calls do not count.',
        minimum: 1,
        maximum: 100,
        default: DEFAULT_MAX_TURNS,
      },
      max_tokens_total: {
        type: 'integer',
        title: 'Maximum total tokens',
        description: 'Input and output tokens of all turns; checked before each turn.',
        minimum: 1,
      },
      max_cost_usd: {
        type: 'number',
        title: 'Maximum cost',
        description:
          'In USD by list price, for all turns; checked before each turn. The price of the model must be known.',
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
      text: { type: 'string', title: 'Text', description: 'Last answer as text.' },
      data: { title: 'Data', description: 'Last answer as data, if a schema is given.' },
      finish_reason: {
        type: 'string',
        title: 'Finish reason',
        description: 'stop, length, or another reason of the provider.',
      },
      turns: { type: 'integer', title: 'Turns', description: 'Number of model responses.' },
      tool_calls: {
        type: 'array',
        title: 'Tool calls',
        description: 'In order.',
        items: objectSchema(
          {
            name: { type: 'string', title: 'Name', description: 'Name of the tool.' },
            input: { title: 'Input', description: 'Input from the model.' },
            output: { title: 'Output', description: 'Result that the model received.' },
            error: { type: 'object', title: 'Error', description: 'Code and message, instead of an output.' },
          },
          ['name', 'input'],
        ),
      },
      citations: {
        type: 'array',
        title: 'Sources',
        description: 'Results from knowledge bases, if there are any among the tools.',
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
