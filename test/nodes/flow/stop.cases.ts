import { CASE_SECRET, type NodeCase } from '../node-case';

export const cases: NodeCase[] = [
  { title: 'ends the run', input: {}, outcome: { kind: 'stop', output: {} } },
  {
    title: 'ends the run with an output',
    input: { output: { ok: true } },
    outcome: { kind: 'stop', output: { ok: true } },
  },
  {
    title: 'an output that is no object becomes its result',
    input: { output: [1, 2] },
    outcome: { kind: 'stop', output: { result: [1, 2] } },
  },
  { title: 'null is an output too', input: { output: null }, outcome: { kind: 'stop', output: { result: null } } },
  {
    title: 'ends the run with an error',
    input: { error: 'Nothing to do' },
    outcome: { kind: 'stop', error: { code: 'stopped', message: 'Nothing to do' } },
  },
  {
    title: 'an error may have a code, and never a secret',
    input: { error: { message: `Nothing for ${CASE_SECRET}`, code: 'empty' } },
    outcome: { kind: 'stop', error: { code: 'empty', message: 'Nothing for ***' } },
  },
];
