import type { NodeCase } from '../node-case';
import type { KnowledgeHit } from '../../../nodes/contract';
import { CASE_MODEL, caseUsage, modelCalls, modelSays } from './scripted-model';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

const hit = (n: number, text: string): KnowledgeHit => ({
  document_id: `d${n}`,
  document_name: `Page ${n}`,
  chunk_id: `d${n}:1:0`,
  text,
  score: 1 / n,
  page: n === 1 ? 4 : null,
  heading: null,
  highlights: [],
  metadata: {},
  url: null,
});
const source = (n: number, ref: number, cited: boolean) => ({
  ref,
  document_id: `d${n}`,
  document_name: `Page ${n}`,
  chunk_id: `d${n}:1:0`,
  page: n === 1 ? 4 : null,
  heading: null,
  url: null,
  cited,
});
const citation = (n: number, ref: number, text: string) => ({
  mark: `[${ref}]`,
  document: `Page ${n}`,
  ...(n === 1 ? { page: 4 } : {}),
  text,
});

export const cases: NodeCase[] = [
  {
    title: 'without tools the first answer is the last',
    input: { ...CASE_MODEL, system: 'Be kind.', instructions: 'Be brief.', prompt: 'Hello' },
    answers: [modelSays('Hi')],
    outcome: {
      kind: 'done',
      output: { text: 'Hi', finish_reason: 'stop', turns: 1, tool_calls: [], ...caseUsage(1) },
    },
  },
  {
    title: 'the last answer is data when a schema is given, and a wrong one is sent back once',
    input: { ...CASE_MODEL, prompt: 'A number', output_schema: schema },
    answers: [modelSays('seven'), modelSays('{"n":7}')],
    outcome: {
      kind: 'done',
      output: { text: '{"n":7}', data: { n: 7 }, finish_reason: 'stop', turns: 2, tool_calls: [], ...caseUsage(2) },
    },
  },
  {
    title: 'an answer that does not fit twice fails the step for good',
    input: { ...CASE_MODEL, prompt: 'A number', output_schema: schema },
    answers: [modelSays('seven'), modelSays('seven')],
    outcome: { kind: 'fail', error: { code: 'invalid_answer', message: 'not valid JSON' }, retryable: false },
  },
  {
    title: 'a schema that is none is refused before anything is asked',
    input: { ...CASE_MODEL, prompt: 'A number', output_schema: { type: 'nonsense' } },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"output_schema"' }, retryable: false },
  },
  {
    title: 'the model gets an error for an unknown tool',
    input: { ...CASE_MODEL, prompt: 'Go' },
    answers: [modelCalls({ name: 'fly', input: {} }), modelSays('I cannot.')],
    outcome: {
      kind: 'done',
      output: {
        text: 'I cannot.',
        finish_reason: 'stop',
        turns: 2,
        tool_calls: [
          {
            name: 'fly',
            input: {},
            error: { code: 'unknown_tool', message: 'there is no tool fly; there is none at all' },
          },
        ],
        ...caseUsage(2),
      },
    },
  },
  {
    title: 'a step type that there is not is refused',
    input: { ...CASE_MODEL, prompt: 'Go', tools: [{ type: 'htp_request' }] },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'no step type htp_request' }, retryable: false },
  },
  {
    title: 'a workflow is started, and the step goes on at its end',
    input: {
      ...CASE_MODEL,
      prompt: 'Go',
      tools: [{ type: 'workflow', workflow: 'refund', name: 'refund', description: 'Pays back.' }],
    },
    answers: [modelCalls({ name: 'refund', input: { order: 7 } })],
    outcome: { kind: 'start_child', workflow: 'refund', input: { order: 7 }, wait: true, note: 'turn-1/call-1' },
  },
  {
    title: 'people are asked before a tool is used',
    input: {
      ...CASE_MODEL,
      prompt: 'Go',
      tools: [{ type: 'workflow', workflow: 'refund', name: 'refund', approval: { approvers: ['ops@example.com'] } }],
    },
    answers: [modelCalls({ name: 'refund', input: { order: 7 } })],
    outcome: {
      kind: 'wait',
      note: 'turn-1/call-1/approval',
      wait: {
        kind: 'approval',
        message: 'May the agent use refund with {"order":7}?',
        approvers: ['ops@example.com'],
        form: null,
        until: null,
        onTimeout: {
          kind: 'complete',
          output: {
            approved: false,
            comment: null,
            decided_by: null,
            decided_at: '2030-01-01T00:00:00.000Z',
            form: null,
          },
        },
      },
    },
  },
  {
    title: 'an agent that does not come to an end is ended',
    input: { ...CASE_MODEL, prompt: 'Go', max_turns: 2 },
    answers: [modelCalls({ name: 'fly', input: {} }), modelCalls({ name: 'fly', input: {} })],
    outcome: { kind: 'fail', error: { code: 'limit_turns', message: 'within 2 turns' }, retryable: false },
  },
  {
    title: 'tokens are counted over all turns',
    input: { ...CASE_MODEL, prompt: 'Go', max_tokens_total: 200 },
    answers: [modelCalls({ name: 'fly', input: {} }), modelCalls({ name: 'fly', input: {} })],
    outcome: { kind: 'fail', error: { code: 'limit_tokens', message: '220 tokens' }, retryable: false },
  },
  {
    title: 'a bound of cost without a price is refused',
    input: { ...CASE_MODEL, prompt: 'Go', max_cost_usd: 1 },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'no price' }, retryable: false },
  },
  {
    title: 'a model that cannot be asked fails the step, which may be tried again',
    input: { ...CASE_MODEL, prompt: 'Go' },
    answers: [modelCalls({ name: 'fly', input: {} }), { status: 503, body: 'busy' }],
    outcome: { kind: 'fail', error: { code: 'llm_unavailable', message: 'busy' }, retryable: true },
  },
  {
    title: 'the model gets names and descriptions of skills, and reads them when needed',
    skills: {
      forms: {
        description: 'Fills\n forms.',
        version: '1.0.0',
        instructions: 'Ask first.',
        files: { 'references/a.md': 'A' },
      },
    },
    input: { ...CASE_MODEL, prompt: 'Fill it', skills: ['forms'] },
    answers: [
      modelCalls(
        { name: 'read_skill', input: { name: 'forms' } },
        { name: 'read_skill_file', input: { name: 'forms', path: 'references/a.md' } },
      ),
      modelSays('Done'),
    ],
    outcome: {
      kind: 'done',
      output: {
        text: 'Done',
        finish_reason: 'stop',
        turns: 2,
        tool_calls: [
          {
            name: 'read_skill',
            input: { name: 'forms' },
            output: { name: 'forms', version: '1.0.0', instructions: 'Ask first.', files: ['references/a.md'] },
          },
          {
            name: 'read_skill_file',
            input: { name: 'forms', path: 'references/a.md' },
            output: { path: 'references/a.md', content: 'A' },
          },
        ],
        ...caseUsage(2),
      },
    },
  },
  {
    title: 'a skill that there is not ends it before the model is asked',
    input: { ...CASE_MODEL, prompt: 'Go', skills: [{ skill: 'none', version: '1.0.0' }] },
    outcome: { kind: 'fail', error: { code: 'skill_not_found', message: 'There is no skill none' }, retryable: false },
  },
  {
    title:
      'what is looked up has marks, one for each part of a document, and the output says which stand in the answer',
    knowledge: {
      shop: { hits: [hit(1, 'Free.'), hit(2, 'Soon.')] },
      law: { hits: [hit(3, 'Duty.'), hit(1, 'Free.')] },
    },
    input: {
      ...CASE_MODEL,
      prompt: 'Returns?',
      tools: [
        { type: 'knowledge_base', knowledge_base: 'shop', filter: { team: 'a' } },
        { type: 'knowledge_base', knowledge_base: 'law', name: 'law' },
        { type: 'knowledge_base', knowledge_base: 'gone', name: 'gone' },
      ],
    },
    answers: [
      modelCalls({ name: 'search_shop', input: { query: 'returns' } }),
      modelCalls({ name: 'law', input: { query: 'returns' } }, { name: 'gone', input: { query: 'x' } }),
      modelSays('Free [1], as [3;9] says.'),
    ],
    outcome: {
      kind: 'done',
      output: {
        text: 'Free [1], as [3;9] says.',
        citations: [source(1, 1, true), source(2, 2, false), source(3, 3, true)],
        finish_reason: 'stop',
        turns: 3,
        tool_calls: [
          {
            name: 'search_shop',
            input: { query: 'returns' },
            output: { sources: [citation(1, 1, 'Free.'), citation(2, 2, 'Soon.')] },
          },
          {
            name: 'law',
            input: { query: 'returns' },
            output: { sources: [citation(3, 3, 'Duty.'), citation(1, 1, 'Free.')] },
          },
          {
            name: 'gone',
            input: { query: 'x' },
            error: { code: 'knowledge_base_not_found', message: 'search gone: There is no knowledge base gone' },
          },
        ],
        ...caseUsage(3),
      },
    },
  },
];
