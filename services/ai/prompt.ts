import { AppError } from '../../lib/errors';
import { type JsonObject, jsonSize } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { llmNode } from '../../nodes/ai/llm';
import type { LlmInput } from '../../nodes/ai/llm';

/** Longest prompt by hand, in characters: pictures have their room in it, books do not. */
const MAX_PROMPT_CHARS = 4 * 1024 * 1024;

const FIELDS = Object.keys(llmNode.input.properties as object);

/** A prompt by hand, of the fields that the step type `llm` has; others are ignored. @throws AppError invalid_request, payload_too_large */
export function readPrompt(given: Readonly<Record<string, unknown>>): LlmInput {
  const pairs = FIELDS.filter((field) => Object.hasOwn(given, field)).map((field) => [field, given[field]] as const);
  // What came over the wire is JSON.
  const input = Object.fromEntries(pairs) as JsonObject;
  if (jsonSize(input) > MAX_PROMPT_CHARS) {
    throw new AppError('payload_too_large', `A prompt has at most ${MAX_PROMPT_CHARS} characters`);
  }
  if ((input.prompt === undefined) === (input.messages === undefined)) {
    throw new AppError('invalid_request', "Give either 'prompt' or 'messages'");
  }
  const schema = compileSchema(llmNode.input, 'ignore');
  const details = schema.kind === 'usable' ? schema.check(input) : schema.faults;
  if (details.length > 0) {
    const sentence = details.map(({ path, message }) => `'${path}' ${message}.`).join(' ');
    throw new AppError('invalid_request', sentence, { details: [...details] });
  }
  // It fits the schema that the type is written after.
  return input;
}
