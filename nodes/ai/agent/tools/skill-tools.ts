import type { JsonObject } from '../../../../lib/json';
import type { NodeContext, NodeSkill, TextRange } from '../../../contract';
import type { Failed } from '../../../outcome';
import { objectSchema } from '../../../schema';
import { platformCall } from '../../../platform-call';
import { runSkillScript, scriptPath } from '../../skills/script';
import { toolDone, toolFailed, type ToolResult } from '../result';
import type { Tool } from './tool';

/** Characters per response to the model, which may request the rest. */
const AT_ONCE = 20_000;
const SCRIPT_TIMEOUT_MS = 10_000;
/** The instructions of a skill, as a file. */
const DEFINITION = 'SKILL.md';

const OFFSET = { type: 'integer', minimum: 0, maximum: 10_000_000, description: 'Offset in characters.' };

/** Tools for skills: read them, read their files, run their scripts. */
export function skillTools(skills: readonly NodeSkill[]): Tool[] {
  if (skills.length === 0) return [];
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const name = { type: 'string', enum: [...byName.keys()], description: 'Name of the skill.' };
  const tool = (
    word: string,
    description: string,
    parameters: JsonObject,
    required: string[],
    act: (ctx: NodeContext, skill: NodeSkill, input: JsonObject) => Promise<ToolResult>,
  ): Tool => {
    const schema = objectSchema({ name, ...(parameters as Record<string, JsonObject>) }, ['name', ...required]);
    return {
      name: word,
      description,
      parameters: schema,
      approval: null,
      // All of it may be done again: nothing outside is changed.
      repeatable: true,
      checkedBy: schema,
      async use(ctx, _part, input) {
        // By the enum it is one of them.
        const skill = byName.get(String(input.name)) as NodeSkill;
        return { kind: 'result', result: await act(ctx, skill, input) };
      },
    };
  };
  return [
    tool('read_skill', 'Reads the instructions of a skill, and lists its files.', { offset: OFFSET }, [], instructions),
    tool(
      'read_skill_file',
      'Reads a file of a skill, such as references/rates.md.',
      {
        path: { type: 'string', minLength: 1, maxLength: 1_024, description: 'Path in the skill.' },
        offset: OFFSET,
      },
      ['path'],
      (ctx, skill, input) => file(ctx, skill, String(input.path), rangeOf(input)),
    ),
    tool(
      'run_skill_script',
      'Runs a script of a skill (JavaScript, without network) and returns its result.',
      {
        script: {
          type: 'string',
          minLength: 1,
          maxLength: 1_024,
          description: 'Path of the script, such as scripts/sum.js.',
        },
        input: { description: 'Input of the script.' },
      },
      ['script'],
      script,
    ),
  ];
}

async function instructions(ctx: NodeContext, skill: NodeSkill, input: JsonObject): Promise<ToolResult> {
  const range = rangeOf(input);
  const read = await platformCall(ctx, 'skill', skill.name, () => ctx.skills.read(skill.hash, range));
  if (read.kind === 'failed') return failureOf(read.outcome);
  const { text, total, files } = read.value;
  return toolDone({
    name: skill.name,
    version: skill.version,
    instructions: text,
    ...rest(range, text, total),
    ...((range.offset ?? 0) > 0 ? {} : { files: files.map(({ path }) => path) }),
  });
}

async function file(ctx: NodeContext, skill: NodeSkill, path: string, range: TextRange): Promise<ToolResult> {
  if (path === DEFINITION) return instructions(ctx, skill, { offset: range.offset ?? 0 });
  const read = await platformCall(ctx, 'skill', skill.name, () => ctx.skills.readFile(skill.hash, path, range));
  if (read.kind === 'failed') return failureOf(read.outcome);
  const { text, total, size } = read.value;
  if (text === null) return toolFailed('no_text', `${path} is not text, but ${size} bytes of something else`);
  return toolDone({ path, content: text, ...rest(range, text, total) });
}

async function script(
  ctx: NodeContext,
  skill: NodeSkill,
  { script: path, input = {} }: JsonObject,
): Promise<ToolResult> {
  const ran = await runSkillScript(ctx, skill, { script: String(path), input, timeoutMs: SCRIPT_TIMEOUT_MS });
  return ran.kind === 'value' ? toolDone({ script: scriptPath(String(path)), result: ran.value }) : failureOf(ran);
}

const rangeOf = ({ offset = 0 }: JsonObject): TextRange => ({ offset: Number(offset), limit: AT_ONCE });

/** A note with the offset of the rest of the text, if there is more. */
function rest({ offset = 0 }: TextRange, text: string, total: number): JsonObject {
  const end = offset + text.length;
  return end < total ? { next_offset: end, total_characters: total } : {};
}

const failureOf = ({ error: { code, message } }: Failed): ToolResult => toolFailed(code, message);
