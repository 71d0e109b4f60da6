import { sha256 } from '../../../lib/crypto';
import type { JsonObject } from '../../../lib/json';
import { CASE_SECRET, type CaseSkill, type NodeCase } from '../node-case';
import type { Outcome } from '../../../nodes/contract';
import { CASE_MODEL, caseUsage, modelCalls, modelSays } from './scripted-model';

const SUMS: CaseSkill = {
  description: 'Sums things up.',
  version: '1.2.0',
  instructions: 'Use scripts/sum.js.',
  files: {
    'scripts/sum.js': 'console.log("adding");\nreturn input.prices.reduce((sum, price) => sum + price, 0) // done',
    'scripts/exported.js': 'module.exports = async ({ a }) => ({ twice: 2 * a, by: skill.name })',
    'scripts/rates.cjs': 'return JSON.parse(files["assets/rates.json"]).eur * input',
    'scripts/broken.js': 'return (',
    'scripts/loud.js': `throw new Error(${JSON.stringify(CASE_SECRET)})`,
    'scripts/sum.py': 'print(1)',
    'scripts/binary.js': null,
    'scripts/long.js': `return 1;${' '.repeat(65_536)}`,
    'assets/rates.json': '{"eur":2}',
  },
};
const skills = { sums: SUMS };
const of = { skill: 'sums', version: '1.2.0', hash: sha256(JSON.stringify(['sums', SUMS])) };

const gives = (output: JsonObject): Outcome => ({ kind: 'done', output: { ...of, ...output } });
const fails = (code: string, message: string): Outcome => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

export const cases: NodeCase[] = [
  {
    title: 'without a script and a prompt there are its instructions and files',
    skills: { plain: { description: 'Plain.', instructions: 'Do it.', files: { 'references/a.md': 'A' } } },
    input: { skill: 'plain' },
    outcome: {
      kind: 'done',
      output: {
        skill: 'plain',
        version: null,
        hash: sha256('["plain",{"description":"Plain.","instructions":"Do it.","files":{"references/a.md":"A"}}]'),
        instructions: 'Do it.',
        files: [{ path: 'references/a.md', size: 1 }],
      },
    },
  },
  {
    title: 'a script gets the input, and what it returns is the result',
    skills,
    input: { skill: 'sums', version: '1.2.0', script: 'scripts/sum.js', input: { prices: [1, 2.5] } },
    logs: [{ level: 'info', message: 'adding' }],
    outcome: gives({ result: 3.5 }),
  },
  {
    title: 'the folder of scripts may be left out, and a function that the script exports is called',
    skills,
    input: { skill: 'sums', script: 'exported.js', input: { a: 21 } },
    outcome: gives({ result: { twice: 42, by: 'sums' } }),
  },
  {
    title: 'a script is given the files that it names',
    skills,
    input: { skill: 'sums', script: 'scripts/rates.cjs', input: 21, timeout: '2s' },
    outcome: gives({ result: 42 }),
  },
  {
    title: 'a script of another language is refused in words',
    skills,
    input: { skill: 'sums', script: 'scripts/sum.py' },
    outcome: fails('unsupported_script', 'only JavaScript is (.js)'),
  },
  {
    title: 'a script that is no text',
    skills,
    input: { skill: 'sums', script: 'scripts/binary.js' },
    outcome: fails('unsupported_script', 'is not text'),
  },
  {
    title: 'a script that is too long',
    skills,
    input: { skill: 'sums', script: 'scripts/long.js' },
    outcome: fails('script_too_large', 'more than 65536 characters'),
  },
  {
    title: 'a script that is broken',
    skills,
    input: { skill: 'sums', script: 'scripts/broken.js' },
    outcome: fails('script_error', 'SyntaxError'),
  },
  {
    title: 'what a script says of a secret is masked',
    skills,
    input: { skill: 'sums', script: 'scripts/loud.js' },
    outcome: fails('script_error', '***'),
  },
  {
    title: 'a script that there is not',
    skills,
    input: { skill: 'sums', script: '../scripts/sum.js' },
    outcome: fails('skill_not_found', 'no file scripts/../scripts/sum.js'),
  },
  {
    title: 'a skill that there is not',
    skills,
    input: { skill: `of ${CASE_SECRET}` },
    outcome: fails('skill_not_found', 'There is no skill of ***'),
  },
  {
    title: 'a version that there is not',
    skills,
    input: { skill: 'sums', version: '9.0.0' },
    outcome: fails('skill_not_found', 'sums has no version 9.0.0'),
  },
  {
    title: 'a time-out that is none',
    skills,
    input: { skill: 'sums', script: 'scripts/sum.js', timeout: '1h' },
    outcome: fails('invalid_config', '"timeout"'),
  },
  {
    title: 'with a prompt a model works by it, and uses its scripts',
    skills,
    input: { skill: 'sums', ...CASE_MODEL, prompt: 'Sum up 1 and 2' },
    answers: [
      modelCalls({
        name: 'run_skill_script',
        input: { name: 'sums', script: 'scripts/sum.js', input: { prices: [1, 2] } },
      }),
      modelSays('3'),
    ],
    logs: [{ level: 'info', message: 'adding' }],
    outcome: gives({
      text: '3',
      finish_reason: 'stop',
      turns: 2,
      tool_calls: [
        {
          name: 'run_skill_script',
          input: { name: 'sums', script: 'scripts/sum.js', input: { prices: [1, 2] } },
          output: { script: 'scripts/sum.js', result: 3 },
        },
      ],
      ...caseUsage(2),
    }),
  },
];
