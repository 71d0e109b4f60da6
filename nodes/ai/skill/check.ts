import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { check as checkAgent } from '../agent/check';

/** Members that count with a script alone. */
const OF_SCRIPTS = ['input', 'timeout'] as const;
/** Members that count with a prompt alone, of those that are easily taken for others. */
const OF_MODELS = ['tools', 'skills', 'system', 'instructions', 'output_schema', 'model', 'provider'] as const;

/** What is wrong with a configuration beyond its schema: members that nothing would come of, and what agents know. */
export function check(config: JsonObject, known: (type: string) => boolean): ConfigFinding[] {
  const has = (key: string): boolean => Object.hasOwn(config, key);
  const model = has('prompt') || has('messages');
  const idle = [
    ...(has('script') ? [] : OF_SCRIPTS.map((key) => ({ key, needs: '"script"' }))),
    ...(model ? [] : OF_MODELS.map((key) => ({ key, needs: '"prompt" or "messages"' }))),
  ];
  return [
    ...idle
      .filter(({ key }) => has(key))
      .map(({ key, needs }): ConfigFinding => ({ kind: 'error', path: key, message: `counts with ${needs} alone` })),
    ...checkAgent(config, known),
  ];
}
