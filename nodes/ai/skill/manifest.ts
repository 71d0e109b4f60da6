import type { JsonObject } from '../../../lib/json';
import { objectSchema, durationSchema, atMostOneOf } from '../../schema';
import type { NodeManifest } from '../../manifest';
import type { JsonSchema } from '../../contract';
import { manifest as agent } from '../agent/manifest';
import { SKILL_FIELD, VERSION_FIELD } from '../skills/fields';
import { check } from './check';

const membersOf = (schema: JsonSchema): Record<string, JsonSchema> => schema.properties as Record<string, JsonSchema>;

/** Whether a model works with the skill. */
export const asksModel = (config: JsonObject): boolean =>
  Object.hasOwn(config, 'prompt') || Object.hasOwn(config, 'messages');

export const manifest: NodeManifest = {
  type: 'skill',
  version: 1,
  title: 'Skill',
  description:
    'Takes up a skill of the tenant: runs one of its scripts, lets a model work by it (prompt, and the fields of an agent), or gives its instructions and the names of its files.',
  category: 'AI',
  effect: (config) => (asksModel(config) ? 'write' : 'read'),
  onInterrupted: 'retry',
  timeoutMs: agent.timeoutMs ?? 0,
  input: objectSchema(
    {
      skill: SKILL_FIELD,
      version: VERSION_FIELD,
      script: {
        type: 'string',
        title: 'Script',
        description: 'Path of a script of the skill, which is run in the sandbox of the step code.',
        minLength: 1,
        maxLength: 1_024,
        examples: ['scripts/sum.js'],
      },
      input: {
        title: 'Input of the script',
        description: 'Any value, which the script sees as input.',
        default: {},
        examples: [{ prices: '{{ trigger.body.prices }}' }],
      },
      timeout: durationSchema(
        'Time-out of the script',
        'How long it may take: 5 s unless it says so, at most 5 m.',
        '2s',
      ),
      ...membersOf(agent.input),
    },
    ['skill'],
    atMostOneOf('script', 'prompt', 'messages'),
  ),
  output: objectSchema(
    {
      skill: { type: 'string', title: 'Skill', description: 'Its name.' },
      version: {
        title: 'Version',
        description: 'That was used; null where the skill says none.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      hash: { type: 'string', title: 'Hash', description: 'SHA-256 of the content that was used.' },
      result: { title: 'Result', description: 'What the script has returned.' },
      instructions: {
        type: 'string',
        title: 'Instructions',
        description: 'Of the skill, without a script and a prompt.',
      },
      files: {
        type: 'array',
        title: 'Files',
        description: 'Beside the instructions: `path`, `size` in bytes.',
        items: { type: 'object' },
      },
      ...membersOf(agent.output),
    },
    ['skill', 'version', 'hash'],
  ),
  check,
};
