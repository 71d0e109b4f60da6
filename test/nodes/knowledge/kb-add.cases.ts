import { CASE_KEY, type NodeCase } from '../node-case';

const knowledge = { notes: {} };
const added = (name = 'Untitled'): NodeCase['outcome'] => ({
  kind: 'done',
  output: {
    document_id: CASE_KEY,
    knowledge_base_id: 'id-of-notes',
    name,
    status: 'ready',
    chunks: 1,
    duplicate: false,
  },
});
const failed = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

export const cases: NodeCase[] = [
  {
    title: 'a text',
    input: { knowledge_base: 'notes', text: 'Hello', name: 'Greeting', metadata: { team: 'a' } },
    knowledge,
    outcome: added('Greeting'),
  },
  {
    title: 'an address',
    input: { knowledge_base: 'notes', url: 'https://example.com', refresh: 3_600 },
    knowledge,
    outcome: added(),
  },
  { title: 'a file of the run', input: { knowledge_base: 'notes', path: 'a.csv' }, knowledge, outcome: added() },
  {
    title: 'a path that leaves the workspace',
    input: { knowledge_base: 'notes', path: '../b' },
    knowledge,
    outcome: failed('invalid_config', 'a segment . or ..'),
  },
  {
    title: 'a text that is to be fetched again',
    input: { knowledge_base: 'notes', text: 'x', refresh: '1d' },
    knowledge,
    outcome: failed('invalid_config', '"refresh" is for an address'),
  },
  {
    title: 'a base that is not there',
    input: { knowledge_base: 'nowhere', text: 'x' },
    knowledge,
    outcome: failed('knowledge_base_not_found', 'add to nowhere: '),
  },
];
