import { defineNode } from '../../contract/define';
import { BASE, FILTER, MIN_SCORE, RERANK, TOP_K } from '../../knowledge/fields';
import {
  anyValue,
  choice,
  durationSchema,
  exactlyOneOf,
  filledText,
  flag,
  integer,
  list,
  number,
  objectSchema,
  record,
  text,
} from '../../schema';
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
      message: filledText('Message to the approvers. Default: the tool and its input.', { title: 'Question' }),
      approvers: list(
        { type: 'string', minLength: 1 },
        'The only people who may decide: user IDs, email addresses or roles.',
        { minItems: 1 },
      ),
      timeout: durationSchema('Time-out', 'How long to wait for a decision.', '1d'),
      on_timeout: choice(['approve', 'reject', 'fail'], 'Decision after the timeout; fail ends the step.', {
        title: 'On time-out',
        default: 'reject',
      }),
    }),
  ],
};

const tool = objectSchema(
  {
    type: filledText(
      'A step type, "workflow", "knowledge_base", or "mcp" for a server that speaks the Model Context Protocol.',
      { title: 'Type', examples: ['http_request', 'workflow', 'mcp'] },
    ),
    name: text('Name of the tool for the model; of a server, the prefix of its tools.', 'find_order', {
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$',
    }),
    description: text('What the tool does and when to use it; the model decides by this text.', { maxLength: 4_000 }),
    config: {
      type: 'object',
      title: 'Fixed configuration',
      description: 'For a step type: fixed fields that the model neither chooses nor sees, such as keys.',
      examples: [{ method: 'GET' }],
    },
    approval,
    workflow: filledText('ID or name of the workflow.'),
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
    url: filledText('URL of the server (streamable HTTP).'),
    headers: record(
      'Headers of each request to the server, such as its key.',
      { authorization: 'Bearer {{ secret.MCP_KEY }}' },
      { type: 'string' },
    ),
    allow: list({ type: 'string', minLength: 1 }, "The server's names of the tools that may be used. Default: all.", {
      title: 'Allowed tools',
    }),
  },
  ['type'],
);

const SOURCE = objectSchema(
  {
    ref: integer('Number of the citation: 3 for [3].', { title: 'Number' }),
    document_id: text('ID or name.', { title: 'Document' }),
    document_name: text('Document.', { title: 'Name' }),
    chunk_id: text('ID of the chunk.', { title: 'Part' }),
    page: { type: ['integer', 'null'], title: 'Page', description: 'Page number from 1, if the document has pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'Headings above the text.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'URL of a document from the web.' },
    cited: flag('Whether the answer contains the citation.'),
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
      instructions: text(
        'Instructions for the agent, in addition to `system`.',
        'Look the order up before you answer.',
      ),
      tools: list(
        tool,
        'Tools that the agent may use. Listing a tool permits its use.',
        [{ type: 'http_request', config: { method: 'GET' } }],
        { maxItems: 50, default: [] },
      ),
      skills: SKILLS_FIELD,
      ...SAMPLING_FIELDS,
      max_turns: integer('Maximum number of model responses; tool calls do not count.', {
        minimum: 1,
        maximum: 100,
        default: DEFAULT_MAX_TURNS,
      }),
      max_tokens_total: integer('Input and output tokens of all turns; checked before each turn.', {
        title: 'Maximum total tokens',
        minimum: 1,
      }),
      max_cost_usd: number(
        'In USD by list price, for all turns; checked before each turn. The price of the model must be known.',
        { title: 'Maximum cost', exclusiveMinimum: 0 },
      ),
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
      text: text('Last answer as text.'),
      data: anyValue('Last answer as data, if a schema is given.'),
      finish_reason: text('stop, length, or another reason of the provider.'),
      turns: integer('Number of model responses.'),
      tool_calls: list(
        objectSchema(
          {
            name: text('Name of the tool.'),
            input: anyValue('Input from the model.'),
            output: anyValue('Result that the model received.'),
            error: { type: 'object', title: 'Error', description: 'Code and message, instead of an output.' },
          },
          ['name', 'input'],
        ),
        'In order.',
      ),
      citations: list(SOURCE, 'Results from knowledge bases, if there are any among the tools.', { title: 'Sources' }),
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['text', 'finish_reason', 'turns', 'tool_calls', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
  check,
  run,
});
