import { type Json, type JsonObject, jsonSize } from '../../../lib/json';
import type { CheckpointedResult } from '../../contract';

/** The result of a tool call, in the form in which ends of waits are recorded. */
export type ToolResult = CheckpointedResult;

/** In characters. Longer results would fill the model's context and the record of the run. */
const MAX_RESULT_CHARS = 50_000;

export const toolDone = (output: JsonObject): ToolResult => ({ ok: true, output: shortened(output) });

export const toolFailed = (code: string, message: string): ToolResult => ({ ok: false, error: { code, message } });

/** The output itself, or the beginning of its text. */
export function shortened(output: JsonObject): JsonObject {
  // The text may be longer than the estimate, so results near the limit are serialized and measured.
  if (jsonSize(output) <= MAX_RESULT_CHARS / 2) return output;
  const text = JSON.stringify(output);
  return text.length <= MAX_RESULT_CHARS
    ? output
    : { truncated: true, characters: text.length, beginning: text.slice(0, MAX_RESULT_CHARS) };
}

/** As it is recorded. */
export const asNote = (result: ToolResult): Json => ({ ...result });
