import type { Json, JsonObject } from '../../../lib/json';
import { MAX_SOURCE } from '../../code/code';
import { runScript } from '../../code/run-script';
import type { NodeContext, NodeSkill } from '../../contract';
import { type Failed, failFinally } from '../../outcome';
import { platformCall } from '../../platform-call';

/** A script of a skill with its input, and its timeout in milliseconds. */
interface ScriptUse {
  readonly script: string;
  readonly input: Json;
  readonly timeoutMs: number;
}

const FOLDER = 'scripts/';
const JAVASCRIPT = /\.[cm]?js$/;
/** Characters of other files that a script is given. */
const MAX_INPUT_BYTES = 512 * 1_024;

/** The folder of scripts, which may be omitted in paths. */
export const scriptPath = (script: string): string => (script.startsWith(FOLDER) ? script : `${FOLDER}${script}`);

/**
 * Runs a script of a skill in the sandbox of the step `code`. The script is the body of a function with `input`, which
 * returns the result; or it sets `module.exports` to a function of the input. `files` has the texts of the skill's files whose
 * paths the script mentions.
 */
export async function runSkillScript(
  ctx: NodeContext,
  skill: NodeSkill,
  { script, input, timeoutMs }: ScriptUse,
): Promise<{ readonly kind: 'value'; readonly value: Json } | Failed> {
  const path = scriptPath(script);
  if (!JAVASCRIPT.test(path))
    return failFinally(
      'unsupported_script',
      ctx.redact(
        `${path} of the skill ${skill.name} is not run: only JavaScript is (.js), in the sandbox of the step code`,
      ),
    );
  const subject = `script ${path} of the skill ${skill.name}`;
  const found = await platformCall(ctx, 'skill', subject, () =>
    ctx.skills.readFile(skill.hash, path, { limit: MAX_SOURCE }),
  );
  if (found.kind === 'failed') return found.outcome;
  const { text, total } = found.value;
  if (text === null) return failFinally('unsupported_script', ctx.redact(`${subject} is not text`));
  if (total > MAX_SOURCE)
    return failFinally('script_too_large', ctx.redact(`${subject} has more than ${MAX_SOURCE} characters`));
  const files = await filesFor(ctx, skill, path, text);
  if (files.kind === 'fail') return files;
  const globals = {
    input,
    module: { exports: {} },
    skill: { name: skill.name, version: skill.version },
    files: files.texts,
  };
  return runScript(ctx, { source: callable(text), globals, timeoutMs });
}

/** A function that the script exports is called with the input. On a line of its own, since the script may end in a comment. */
const callable = (source: string): string =>
  `${source}\n;if (typeof module === 'object' && module && typeof module.exports === 'function') return module.exports(input);`;

/** Texts of other files that the source mentions. */
async function filesFor(
  ctx: NodeContext,
  skill: NodeSkill,
  own: string,
  source: string,
): Promise<{ readonly kind: 'files'; readonly texts: JsonObject } | Failed> {
  const texts = new Map<string, Json>();
  if (!/\bfiles\b/.test(source)) return { kind: 'files', texts: {} };
  const listed = await platformCall(ctx, 'skill', `skill ${skill.name}`, () =>
    ctx.skills.read(skill.hash, { limit: 0 }),
  );
  if (listed.kind === 'failed') return listed.outcome;
  let left = MAX_INPUT_BYTES;
  for (const { path, text } of listed.value.files) {
    if (!text || path === own || !source.includes(path)) continue;
    const read = await wholeText(ctx, skill, path, left);
    if (read.kind === 'fail') return read;
    const { text: content } = read;
    if (content === null)
      return failFinally(
        'input_too_large',
        ctx.redact(`${path} is too large to be given to a script of the skill ${skill.name}`),
      );
    left -= content.length;
    texts.set(path, content);
  }
  return { kind: 'files', texts: Object.fromEntries(texts) };
}

/** The text of a file, which is read in pieces; null if it has more characters than `max`. */
async function wholeText(
  ctx: NodeContext,
  skill: NodeSkill,
  path: string,
  max: number,
): Promise<{ readonly kind: 'text'; readonly text: string | null } | Failed> {
  for (let text = ''; ; ) {
    const range = { offset: text.length, limit: max - text.length };
    const read = await platformCall(ctx, 'skill', `skill ${skill.name}`, () =>
      ctx.skills.readFile(skill.hash, path, range),
    );
    if (read.kind === 'failed') return read.outcome;
    const piece = read.value.text ?? '';
    text += piece;
    if (text.length >= read.value.total) return { kind: 'text', text };
    if (piece === '') return { kind: 'text', text: null };
  }
}
