/**
 * The loop of an agent. Answers of the model and results of its tools are recorded sub-steps; the rest follows from the
 * input and these records. So each attempt begins at the first turn, and repeats no request with a recorded answer.
 */
import type { Json, JsonObject } from '../../../lib/json';
import { type LlmAnswer, type LlmMessage, type LlmToolResult, textOf, toolCallsOf } from '../../../lib/llm';
import type { NodeContext, Outcome } from '../../contract';
import { failFinally, invalidConfig } from '../../outcome';
import { conversationOf, userSays } from '../messages';
import { failureOf, isOutcome, type Model, modelOf } from '../model';
import { type DataForm, dataForm } from '../structured';
import { addSpent, NOTHING_SPENT, type UsageTotals, usageOf } from '../usage';
import { CITATION_RULE } from './citations';
import type { AgentInput } from './input';
import { overLimit } from './limits';
import { type LoadedSkill, openSkills, rulesOf, rulesOfLoaded, withLoaded } from './skills';
import { openToolbox, type Toolbox } from './tools';
import { callTool } from './tools/call';
import { skillTools } from './tools/skill-tools';

/** Maximum number of tool calls per answer; further ones are refused. */
const MAX_CALLS = 20;

/** How often a last answer that does not fit is sent back. */
const REPAIRS = 1;

/** Works until the model has answered, or something has to be waited for. */
// The runtime has checked the input against the input schema.
export const run = (ctx: NodeContext): Promise<Outcome> => runAgent(ctx, ctx.input, null);

/** The same for another step type; `loaded`: a skill whose instructions are in the prompt from the start. */
export async function runAgent(ctx: NodeContext, input: AgentInput, loaded: LoadedSkill | null): Promise<Outcome> {
  const model = modelOf(input, ctx);
  if (isOutcome(model)) return model;
  if (input.max_cost_usd !== undefined && !model.priced) {
    return invalidConfig(`"max_cost_usd" cannot be kept: no price of ${model.access.model} is known`);
  }
  const form = input.output_schema === undefined ? null : await dataForm(ctx.capabilities.compute, input.output_schema);
  if (form !== null && 'problem' in form) return invalidConfig(`"output_schema": ${form.problem}`);
  const opened = await openSkills(ctx, input.skills ?? []);
  if (opened.kind !== 'pinned') return opened;
  const { skills } = opened;
  const toolbox = await openToolbox(
    ctx,
    input.tools ?? [],
    skillTools(loaded === null ? skills : withLoaded(skills, loaded)),
  );
  if (toolbox.kind !== 'tools') return toolbox;
  try {
    const addedInstructions = [
      ...(loaded === null ? [] : [rulesOfLoaded(loaded)]),
      rulesOf(skills),
      toolbox.citations === null ? '' : CITATION_RULE,
    ];
    return await new Work(ctx, input, model, form, toolbox, addedInstructions).run();
  } catch (fault) {
    return failureOf(fault, ctx.redact);
  } finally {
    await toolbox.close();
  }
}

/** A recorded answer of the model. */
type Turn = Pick<LlmAnswer, 'parts' | 'finish'> & { readonly spent: UsageTotals };

/** One attempt at the work. */
class Work {
  readonly #messages: LlmMessage[];
  readonly #uses: JsonObject[] = [];
  #spent = NOTHING_SPENT;
  #repairs = 0;

  constructor(
    private readonly ctx: NodeContext,
    private readonly input: AgentInput,
    private readonly model: Model,
    private readonly form: DataForm | null,
    private readonly toolbox: Toolbox,
    /** Instructions beside the author's own. */
    addedInstructions: readonly string[],
  ) {
    const { system = '', instructions = '', messages, prompt } = input;
    const rules = [system, instructions, ...addedInstructions, answerRule(form)]
      .filter((rule) => rule !== '')
      .join('\n\n');
    this.#messages = conversationOf({ system: rules, messages, prompt });
  }

  /** @throws LlmError */
  async run(): Promise<Outcome> {
    for (let turn = 1; ; turn++) {
      const over = overLimit(this.input, turn, this.#spent);
      if (over !== null) return failFinally(over.code, over.message);
      const { parts, finish, spent } = await this.#answer(turn);
      this.#spent = addSpent(this.#spent, spent);
      this.#messages.push({ role: 'assistant', parts });
      const calls = toolCallsOf(parts);
      if (calls.length === 0) {
        const end = await this.#end(textOf(parts), finish, turn);
        if (end !== null) return end;
        continue;
      }
      const results: LlmToolResult[] = [];
      for (const [index, call] of calls.entries()) {
        const part = `turn-${turn}/call-${index + 1}`;
        const called = index < MAX_CALLS ? await callTool(this.ctx, this.toolbox.tools, call, part) : TOO_MANY;
        if (called.kind === 'outcome') return called.outcome;
        const { id, name } = call;
        const { result } = called;
        const tool = this.toolbox.tools.get(name);
        if (result.ok) tool?.seen?.(result.output);
        const output: Json = result.ok ? (tool?.tell?.(result.output) ?? result.output) : { ...result.error };
        results.push({ id, name, output, failed: !result.ok });
        this.#uses.push({ name, input: call.input, ...(result.ok ? { output } : { error: output }) });
      }
      this.#messages.push({ role: 'tool', results });
    }
  }

  async #answer(turn: number): Promise<Turn> {
    const recorded = await this.ctx.once(`turn-${turn}/model`, async () => {
      const { temperature, max_tokens: maxTokens } = this.input;
      const tools = [...this.toolbox.tools.values()];
      const request = { messages: this.#messages, tools, temperature, maxTokens };
      // Data are not streamed before they are checked.
      const voice = this.form === null ? this.ctx.stream : null;
      const { answer, spent } = await this.model.ask(request, voice ? (text) => voice.write(text) : undefined);
      // Only the end of a turn shows whether it is the last; text before a tool call is not the answer.
      if (toolCallsOf(answer.parts).length > 0) voice?.reset();
      const value = { parts: answer.parts, finish: answer.finish, spent };
      // Plain JSON, which the type does not express.
      return { value: value as unknown as Json, usage: usageOf(spent) };
    });
    // Written by the lines above.
    return recorded as unknown as Turn;
  }

  /** The step's outcome; null when the model is to try once more. */
  async #end(text: string, finish: string, turns: number): Promise<Outcome | null> {
    if (this.form === null) return this.#done(text, {}, finish, turns);
    const read = await this.form.read(text);
    if ('data' in read) return this.#done(text, { data: read.data }, finish, turns);
    if (this.#repairs >= REPAIRS) {
      return failFinally('invalid_answer', this.ctx.redact(`the agent's answer is not of the schema: ${read.problem}`));
    }
    this.#repairs += 1;
    this.#messages.push(userSays(`This cannot be used: ${read.problem}.\n${answerRule(this.form)}`));
    return null;
  }

  #done(text: string, data: JsonObject, finish: string, turns: number): Outcome {
    const { provider, model } = this.model.access;
    const { citations } = this.toolbox;
    const cited: JsonObject = citations === null ? {} : { citations: citations.in(text) };
    return {
      kind: 'done',
      // Usage is counted with the sub-steps.
      output: {
        text,
        ...data,
        ...cited,
        finish_reason: finish,
        turns,
        tool_calls: this.#uses,
        provider,
        model,
        ...this.#spent,
      },
    };
  }
}

const TOO_MANY = {
  kind: 'result',
  result: {
    ok: false,
    error: { code: 'too_many_calls', message: `at most ${MAX_CALLS} uses of tools in one answer` },
  },
} as const;

const answerRule = (form: DataForm | null): string =>
  form === null
    ? ''
    : `When you are done, answer with JSON alone, that fits this JSON Schema:\n${JSON.stringify(form.schema)}`;
